import type { Kysely, Transaction } from 'kysely'
import { reserve, settle, type Refusal } from '../billing/account.ts'
import { limitLockWaits } from '../store/limit-lock-waits.ts'
import type { Database } from '../store/schema.ts'
import {
  findByIdempotencyKey,
  findSession,
  insertSession,
  markSessionEnded,
  type NewSessionRow,
  type SessionOutcome,
} from './session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'

/** Result of `admitSession`. */
export type Admission =
  | { readonly outcome: 'admitted'; readonly session: SessionRow }
  | { readonly outcome: 'repeated'; readonly session: SessionRow }
  | Refusal

/** Result of `endSession`. */
export interface EndedSession {
  /** Whether this call ended the session. */
  readonly ended: boolean
  readonly session: SessionRow
}

/**
 * Inserts a session and reserves credits and a slot of its team in one transaction. Returns the
 * existing session if the team already has one with this idempotency key.
 */
export async function admitSession(db: Kysely<Database>, wanted: NewSessionRow): Promise<Admission> {
  const { id, teamId, reservedCredits: credits } = wanted
  try {
    const session = await db.transaction().execute(async (transaction) => {
      const inserted = await insertSession(transaction, wanted)
      if (inserted === undefined) return undefined
      const reserved = await reserve(transaction, { id, teamId, credits, slot: 'session' })
      if (reserved.outcome === 'insufficient-credits' || reserved.outcome === 'team-limit') throw new Refused(reserved)
      return inserted
    })
    if (session !== undefined) return { outcome: 'admitted', session }
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    throw error
  }
  const session = await findByIdempotencyKey(db, teamId, wanted.idempotencyKey)
  // The first session failed to start in the meantime, which freed its key.
  return session === undefined ? admitSession(db, wanted) : { outcome: 'repeated', session }
}

/** Rolls an admission back. */
class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.outcome)
    this.refusal = refusal
  }
}

/** Options of `endSession`. */
export interface EndSessionOptions {
  /** Called with the session in the transaction that ends it. */
  readonly onEnded?: (transaction: Transaction<Database>, session: SessionRow) => Promise<void>
  /**
   * Milliseconds to wait for a row that another transaction has locked, after which
   * STORE_UNAVAILABLE is thrown. Default: no limit.
   */
  readonly lockTimeoutMs?: number | undefined
}

/**
 * Ends a session and settles its hold in one transaction, in which `onEnded` is called with the
 * session. Idempotent: later calls return the first end. Returns `undefined` if the session does
 * not exist.
 */
export async function endSession(
  db: Kysely<Database>,
  ending: SessionOutcome,
  { onEnded, lockTimeoutMs }: EndSessionOptions = {},
): Promise<EndedSession | undefined> {
  const ended = await db.transaction().execute(async (transaction) => {
    if (lockTimeoutMs !== undefined) await limitLockWaits(transaction, lockTimeoutMs)
    const row = await markSessionEnded(transaction, ending)
    if (row === undefined) return undefined
    // Before the bill, because billing locks the row of the team.
    await onEnded?.(transaction, row)
    const { id, teamId, apiKeyId } = row
    const { credits, endedAt: createdAt } = ending
    await settle(transaction, id, { teamId, apiKeyId, kind: 'session', subjectId: id, credits, createdAt })
    return row
  })
  if (ended !== undefined) return { ended: true, session: ended }
  const session = await findSession(db, ending.id)
  return session && { ended: false, session }
}
