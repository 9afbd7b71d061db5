#!/usr/bin/env node
import { hasRequiredNode } from 'bowline/terminal/required-node'

// The rest uses features that an older Node.js lacks, so it is loaded only after this check.
if (hasRequiredNode('The Bowline server', 24)) {
  const { runServerCli } = await import('./run-server-cli.ts')
  await runServerCli(process.argv.slice(2))
}
