/** Whether a value is an error, also one of another realm. `Error.isError` where the runtime has it: Node 22 does not. */
export function isError(value: unknown): value is Error {
  return typeof Error.isError === 'function'
    ? Error.isError(value)
    : value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}
