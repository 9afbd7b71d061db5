import { BowlineError } from '../kit/errors.ts'
import { isPackageMissing } from '../kit/missing-package.ts'

/** The major version of Node.js that the server needs. */
const requiredMajor = 24

/**
 * Loads a module of `bowline-server`, which is a package of its own: programs that only use a service need none of it.
 * Throws SERVER_MISSING if it is not installed, or if this Node.js is too old for it.
 */
export async function loadServer<Module>(specifier: 'bowline-server' | 'bowline-server/cli'): Promise<Module> {
  if (Number(process.versions.node.split('.')[0]) < requiredMajor) {
    const message = `The server needs Node.js ${requiredMajor} or newer. This is Node.js ${process.versions.node}`
    throw new BowlineError('SERVER_MISSING', message, { hint: 'Run it with a newer Node.js.' })
  }
  try {
    // A variable specifier: neither the compiler nor a bundler must follow it.
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
