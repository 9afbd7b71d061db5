import { BowlineError } from 'bowline/kit/errors'
import { isPackageMissing } from 'bowline/kit/missing-package'

/**
 * Imports a package that Bowline does not install by default. `purpose` completes "to use …" in the
 * error. Throws PACKAGE_MISSING with the install command.
 */
export async function loadOptional<Module>(
  name: string,
  purpose: string,
  importer: () => Promise<Module>,
): Promise<Module> {
  try {
    return await importer()
  } catch (cause) {
    if (!isPackageMissing(cause, name)) throw cause
    throw new BowlineError('PACKAGE_MISSING', `Install ${name} to use ${purpose}: npm install ${name}`, { cause })
  }
}

/** Whether a package can be resolved. Does not load it. */
export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    // Missing or damaged: neither can be used, and neither may stop what works without it.
    return false
  }
}
