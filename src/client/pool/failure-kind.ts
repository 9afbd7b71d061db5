import type { ErrorCode } from '../../kit/catalogue.ts'
import { isBowlineError, type BowlineError } from '../../kit/errors.ts'

const infrastructureCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'CONNECTION_FAILED',
  'DRIVER_FAILED',
  'SESSION_ENDED',
  'SESSION_NOT_FOUND',
  'CONCURRENCY_LIMIT',
  'RATE_LIMITED',
  'DRAINING',
  'NODE_UNREACHABLE',
  'CDP_FAILED',
  'BROWSER_START_FAILED',
  'BROWSER_NOT_FOUND',
  'PROFILE_LOCKED',
  'PROFILE_LEASE_LOST',
])

// Errors of a service that has no codes of ours.
function isBusyStatus(error: BowlineError): boolean {
  return (
    ['REQUEST_FAILED', 'RESPONSE_INVALID', 'UNKNOWN_ERROR'].includes(error.code) &&
    (error.status === 429 || error.status >= 500)
  )
}

/** Whether an error by itself tells that the service or the session was lost, and not that a page is the way it is. */
export function isInfrastructureError(error: unknown): boolean {
  return isBowlineError(error) && (infrastructureCodes.has(error.code) || isBusyStatus(error))
}

const hopelessCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'INSUFFICIENT_CREDITS',
  'ROUTE_NOT_FOUND',
  'BAD_REQUEST',
  'CONFIG_INVALID',
  'DRIVER_MISSING',
  'ABORTED',
])

/** Whether no later session could be opened either. */
export function isHopeless(error: unknown): boolean {
  return isBowlineError(error) && hopelessCodes.has(error.code)
}

/** Whether the service has too many sessions at the moment. */
export function isCrowded(error: unknown): boolean {
  return (
    isBowlineError(error) &&
    (error.code === 'CONCURRENCY_LIMIT' || error.code === 'RATE_LIMITED' || error.status === 429)
  )
}

/** Milliseconds the service asked to wait. */
export function retryAfterMs(error: unknown): number {
  return isBowlineError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0
}
