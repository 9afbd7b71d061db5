import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from './setup-error.mjs'

const wantedMajor = 24

/** Path of the Node that runs the project: the one among the dependencies, else this one when it is new enough. */
export function findNode(root) {
  const bundled = join(root, 'node_modules/node/bin/node')
  if (existsSync(bundled)) return bundled
  if (Number.parseInt(process.versions.node, 10) >= wantedMajor) return process.execPath
  throw new SetupError(
    `Bowline needs Node ${wantedMajor}; this is ${process.version}, and the \`node\` package did not install one for ` +
      `${process.platform}-${process.arch}. Install Node ${wantedMajor} and run the command again.`,
  )
}
