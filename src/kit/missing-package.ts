import { isError } from './is-error.ts'
/**
 * Whether an import failed because the package `name` is not installed. A package that lacks one of
 * its own dependencies fails with the same code, so the name is compared.
 */
export function isPackageMissing(error: unknown, name: string): boolean {
  return (
    isError(error) &&
    'code' in error &&
    (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
    error.message.includes(`'${name}'`)
  )
}
