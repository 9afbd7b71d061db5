import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from './setup-error.mjs'

const requiredMajor = 24

/**
 * Returns the path of Node for the project: the one in node_modules, or this one if it is new
 * enough.
 */
export function findNode(root) {
  const bundled = join(root, 'node_modules/node/bin/node')
  if (existsSync(bundled)) return bundled
  if (Number.parseInt(process.versions.node, 10) >= requiredMajor) return process.execPath
  throw new SetupError(
    `Bowline requires Node ${requiredMajor}. This is ${process.version}, and the package \`node\` has no binary for ` +
      `${process.platform}-${process.arch}. Install Node ${requiredMajor} and run the command again.`,
  )
}
