import { DatabaseError } from 'pg'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'

/** The error for a statement that failed because of the database and not because of what it says. */
export function storeUnavailable(cause: unknown): BowlineError {
  return new BowlineError('STORE_UNAVAILABLE', 'The database of the server is not available', {
    cause,
    retryAfterSeconds: 2,
  })
}

/** Whether an error is one of the database itself: the same work may succeed a little later. */
export function isStoreUnavailable(error: unknown): boolean {
  return isBowlineError(error) && error.code === 'STORE_UNAVAILABLE'
}

/** Whether PostgreSQL has no connection left: for the server, the role or the database. */
export function isOutOfConnections(error: unknown): boolean {
  return sqlStateOf(error) === '53300' || (error instanceof Error && error.message.startsWith('no more connections'))
}

/** Whether a statement failed because its connection broke, or because PostgreSQL cannot work now. */
export function isOutage(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state !== undefined) return passingStates.has(state) || passingClasses.has(state.slice(0, 2))
  return error instanceof Error && (isSocketError(error) || /^(?:Connection terminated|Client )/.test(error.message))
}

/** Lost connections, full memory or disk, shutdowns and cancelled statements, faults of the system. */
const passingClasses: ReadonlySet<string> = new Set(['08', '53', '57', '58'])

/** A former primary that became read-only, serialization failures, deadlocks, and locks that were not granted. */
const passingStates: ReadonlySet<string> = new Set(['25006', '40001', '40P01', '55P03'])

function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

function isSocketError(error: Error): boolean {
  return 'syscall' in error || ('code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code))
}
