#!/usr/bin/env node
import { hasRequiredNode } from './required-node.ts'

// The rest uses features that older Node versions lack, so it is loaded only after this check.
if (hasRequiredNode()) {
  const { runCli } = await import('./run-cli.ts')
  await runCli(process.argv.slice(2))
}
