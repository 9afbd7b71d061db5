import { BowlineError } from 'bowline/kit/errors'
import { isPackageMissing } from 'bowline/kit/missing-package'

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
    if (!isPackageMissing(cause, name)) throw cause
    throw new BowlineError('PACKAGE_MISSING', `Install ${name} to use ${purpose}: npm install ${name}`, { cause })
  }
}
