#!/usr/bin/env node
import { hasRequiredNode } from './required-node.ts'

// What follows uses features that an older Node lacks, so it is loaded only after this check.
if (hasRequiredNode()) {
  const { runCli } = await import('./run-cli.ts')
  await runCli(process.argv.slice(2))
}
