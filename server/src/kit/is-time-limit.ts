/** Whether a signal was aborted by a time limit, and not by its owner. */
export function isTimeLimit(reason: unknown): boolean {
  return Error.isError(reason) && reason.name === 'TimeoutError'
}
