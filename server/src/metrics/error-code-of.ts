import { catalogue, type ErrorCode } from 'bowline/kit/catalogue'
import { isBowlineError } from 'bowline/kit/errors'
import { isError } from 'bowline/kit/is-error'

/** All values of labels that contain an error code. */
export const errorCodes = Object.keys(catalogue) as readonly string[]

/**
 * Codes of failures that servers cause, not clients or sites. The objectives in
 * `deploy/prometheus/objectives.yaml` count them.
 */
export const serverFaultCodes = [
  'UNKNOWN_ERROR',
  'STORED_VALUE_INVALID',
  'STORE_UNAVAILABLE',
  'SERVER_BUSY',
  'BROWSER_START_FAILED',
  'BROWSER_NOT_FOUND',
  'CDP_FAILED',
  'NODE_UNREACHABLE',
  'PROFILE_STORAGE_UNAVAILABLE',
  'EXECUTION_FAILED',
] as const satisfies readonly ErrorCode[]

/**
 * Returns the code of an error for a label. `UNKNOWN_ERROR` for errors without a code of the
 * catalogue: other services may send any number of codes.
 */
export function errorCodeOf(error: unknown): string {
  return isBowlineError(error) && Object.hasOwn(catalogue, error.code) ? error.code : 'UNKNOWN_ERROR'
}

/** Whether work failed because its signal aborted for another reason than a timeout. */
export function isCancelled(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && !isTimeout(signal)
}

/** Whether a signal aborted because a time limit was reached. */
export function isTimeout({ reason }: AbortSignal): boolean {
  return isError(reason) && reason.name === 'TimeoutError'
}
