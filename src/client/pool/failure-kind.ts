import type { ErrorCode } from '../../kit/catalogue.ts'
import { isBowlineError, type BowlineError } from '../../kit/errors.ts'

const infrastructureCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'CONNECTION_FAILED',
  'CONNECTION_LOST',
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

/**
 * Whether an error means that the service or the session was lost, as opposed to a failure of the
 * page.
 */
export function isInfrastructureError(error: unknown): boolean {
  return isBowlineError(error) && (infrastructureCodes.has(error.code) || isBusyStatus(error))
}

// Whether a service without our error codes is overloaded.
function isBusyStatus(error: BowlineError): boolean {
  return (
    ['REQUEST_FAILED', 'RESPONSE_INVALID', 'UNKNOWN_ERROR'].includes(error.code) &&
    (error.status === 429 || error.status >= 500)
  )
}

const fatalCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'INSUFFICIENT_CREDITS',
  'ROUTE_NOT_FOUND',
  'BAD_REQUEST',
  'CONFIG_INVALID',
  'DRIVER_MISSING',
  'PACKAGE_MISSING',
  'PROFILE_NOT_FOUND',
  'ABORTED',
])

/** Whether every further attempt to open a session would fail as well. */
export function isFatal(error: unknown): boolean {
  return isBowlineError(error) && fatalCodes.has(error.code)
}

/** Whether the service is at its limit of sessions or requests. */
export function isAtCapacity(error: unknown): boolean {
  return (
    isBowlineError(error) &&
    (error.code === 'CONCURRENCY_LIMIT' || error.code === 'RATE_LIMITED' || error.status === 429)
  )
}

/** `Retry-After` of the error in milliseconds, or 0. */
export function retryAfterMs(error: unknown): number {
  return isBowlineError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0
}
