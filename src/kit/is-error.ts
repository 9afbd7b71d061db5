/**
 * Whether a value is an error, including those of other realms. Uses `Error.isError` where
 * available; Node 22 lacks it.
 */
export function isError(value: unknown): value is Error {
  return typeof Error.isError === 'function'
    ? Error.isError(value)
    : value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}
