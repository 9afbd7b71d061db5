/** Whether a file operation failed because the file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return Error.isError(error) && 'code' in error && error.code === 'ENOENT'
}

/**
 * Returns a handler for rejections that replaces the error of a missing file or folder by a value,
 * and throws others.
 */
export function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isMissing(error)) return value
    throw error
  }
}
