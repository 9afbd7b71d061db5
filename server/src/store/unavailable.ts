import { DatabaseError } from 'pg'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'

/**
 * Creates the error for a statement that failed because of a database outage, not because of its
 * SQL.
 */
export function storeUnavailable(cause: unknown): BowlineError {
  const message = isDiskFull(cause) ? 'The disk of the database is full' : 'The server cannot reach its database'
  return new BowlineError('STORE_UNAVAILABLE', message, { cause, retryAfterSeconds: 2 })
}

/** Whether a statement failed because the disk of the database is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '53100'
}

/** Whether an error is a database outage, after which a retry may succeed. */
export function isStoreUnavailable(error: unknown): boolean {
  return isBowlineError(error) && error.code === 'STORE_UNAVAILABLE'
}

/** Whether PostgreSQL has no connections left for the server, the role or the database. */
export function isOutOfConnections(error: unknown): boolean {
  return sqlStateOf(error) === '53300' || (error instanceof Error && error.message.startsWith('no more connections'))
}

/** Whether a statement failed because of its connection or a temporary condition of PostgreSQL. */
export function isOutage(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state !== undefined) return transientStates.has(state) || transientClasses.has(state.slice(0, 2))
  return error instanceof Error && (isSocketError(error) || /^(?:Connection terminated|Client )/.test(error.message))
}

/**
 * SQLSTATE classes: connection exceptions, insufficient resources, operator intervention, system
 * errors.
 */
const transientClasses: ReadonlySet<string> = new Set(['08', '53', '57', '58'])

/**
 * SQLSTATEs: read-only transaction (a demoted primary), transaction that was idle for too long,
 * serialization failure, deadlock, lock not available.
 */
const transientStates: ReadonlySet<string> = new Set(['25006', '25P03', '40001', '40P01', '55P03'])

function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

function isSocketError(error: Error): boolean {
  return 'syscall' in error || ('code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code))
}
