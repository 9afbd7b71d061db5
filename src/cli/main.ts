#!/usr/bin/env node
import { hasRequiredNode } from '../terminal/required-node.ts'

// The other modules need features that older Node.js versions lack, so they are loaded after this check.
if (hasRequiredNode('The bowline command', 22)) {
  const { runCli } = await import('./run-cli.ts')
  await runCli(process.argv.slice(2))
}
