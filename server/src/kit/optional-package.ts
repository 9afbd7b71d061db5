import { BowlineError } from 'bowline/kit/errors'
import { hasPackageFolder } from 'bowline/kit/installed-package'
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
  if (!hasPackageFolder(name, import.meta)) throw packageMissing([name], purpose)
  try {
    return await importer()
  } catch (cause) {
    throw isPackageMissing(cause, name) ? packageMissing([name], purpose, cause) : cause
  }
}

/** Creates the error PACKAGE_MISSING with the install command. */
export function packageMissing(names: readonly string[], purpose: string, cause?: unknown): BowlineError {
  const message = `Install ${names.join(' and ')} to use ${purpose}: npm install ${names.join(' ')}`
  return new BowlineError('PACKAGE_MISSING', message, { cause })
}

/** Whether a package can be resolved. Does not load it. */
export function isInstalled(name: string): boolean {
  if (!hasPackageFolder(name, import.meta)) return false
  try {
    import.meta.resolve(name)
    return true
  } catch {
    // Missing or damaged: neither can be used, and neither may stop what works without it.
    return false
  }
}
