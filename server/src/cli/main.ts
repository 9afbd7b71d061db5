#!/usr/bin/env node
import { hasRequiredNode } from 'bowline/terminal/required-node'

// The other modules need features that older Node.js versions lack, so they are loaded after this check.
if (hasRequiredNode('The Bowline server', 24)) {
  const { runServerCli } = await import('./run-server-cli.ts')
  await runServerCli(process.argv.slice(2))
}
