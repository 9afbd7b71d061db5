import { BowlineError } from '../kit/errors.ts'

/** Imports the first of `names` that is installed. Throws DRIVER_MISSING when none is. */
export const loadPackage = async (
  names: readonly string[],
  importModule: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<unknown> => {
  for (const name of names) {
    try {
      return await importModule(name)
    } catch (error) {
      if (!isMissing(error, name)) {
        throw new BowlineError('DRIVER_FAILED', `${name} is installed but could not be loaded`, { cause: error })
      }
    }
  }
  throw new BowlineError('DRIVER_MISSING', `None of the packages ${names.join(', ')} is installed`, {
    hint: `npm install ${names.find((name) => name.endsWith('-core'))}`,
  })
}

// A package that is there but misses one of its own dependencies has the same code, so the name decides.
const isMissing = (error: unknown, name: string): boolean =>
  Error.isError(error) &&
  'code' in error &&
  (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
  error.message.includes(`'${name}'`)
