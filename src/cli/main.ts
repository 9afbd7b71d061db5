#!/usr/bin/env node
import { hasRequiredNode } from '../terminal/required-node.ts'

// The rest uses features that an older Node.js lacks, so it is loaded only after this check.
if (hasRequiredNode('The bowline command', 22)) {
  const { runCli } = await import('./run-cli.ts')
  await runCli(process.argv.slice(2))
}
