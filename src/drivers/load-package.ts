import { BowlineError } from '../kit/errors.ts'
import { isPackageMissing } from '../kit/missing-package.ts'

/**
 * Imports the first of `names` that is installed. Throws DRIVER_MISSING if none is, and
 * DRIVER_FAILED if it cannot be loaded.
 */
export async function loadPackage(
  names: readonly string[],
  importModule: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<unknown> {
  for (const name of names) {
    try {
      return await importModule(name)
    } catch (error) {
      if (!isPackageMissing(error, name)) {
        throw new BowlineError('DRIVER_FAILED', `${name} is installed but could not be loaded`, { cause: error })
      }
    }
  }
  throw new BowlineError('DRIVER_MISSING', `None of the packages ${names.join(', ')} is installed`, {
    hint: `npm install ${names.find((name) => name.endsWith('-core'))}`,
  })
}
