import { BowlineError } from '../kit/errors.ts'
import { isPackageMissing } from '../kit/missing-package.ts'

/** Node.js major version that the server requires. */
const requiredMajor = 24

/**
 * Imports a module of the optional package `bowline-server`. Throws SERVER_MISSING if it is not
 * installed, or if Node.js is too old for it.
 */
export async function loadServer<Module>(specifier: 'bowline-server' | 'bowline-server/commands'): Promise<Module> {
  if (Number(process.versions.node.split('.')[0]) < requiredMajor) {
    const message = `The server needs Node.js ${requiredMajor} or newer. This is Node.js ${process.versions.node}`
    throw new BowlineError('SERVER_MISSING', message, { hint: 'Run it with a newer Node.js.' })
  }
  try {
    // A variable specifier keeps the compiler and bundlers from resolving the package.
    return (await import(specifier)) as Module
  } catch (cause) {
    if (!isPackageMissing(cause, 'bowline-server')) {
      throw new BowlineError('SERVER_MISSING', 'bowline-server is installed but could not be loaded', {
        cause,
        hint: 'Install it unbundled, with its dependencies, in the same version as bowline.',
      })
    }
    throw new BowlineError('SERVER_MISSING', 'The package bowline-server is not installed', { cause })
  }
}
