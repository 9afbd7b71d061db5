import { BowlineError } from './errors.ts'

/**
 * Imports a package that is not installed with Bowline. `purpose` names what it is for, as in "to use PURPOSE".
 * Throws PACKAGE_MISSING, with the command that installs it.
 */
export async function loadOptional<Module>(
  name: string,
  purpose: string,
  importer: () => Promise<Module>,
): Promise<Module> {
  try {
    return await importer()
  } catch (cause) {
    if (!isMissing(name, cause)) throw cause
    throw new BowlineError('PACKAGE_MISSING', `Install ${name} to use ${purpose}: npm install ${name}`, { cause })
  }
}

/** A package that is installed may fail to load, too, such as for want of one of its own: that is another error. */
function isMissing(name: string, error: unknown): boolean {
  if (!Error.isError(error) || !('code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
}
