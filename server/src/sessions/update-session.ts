import type { Kysely } from 'kysely'
import { sessionLimits } from 'bowline/contract/session-options'
import { BowlineError } from 'bowline/kit/errors'
import { availableCredits, lower, raise } from '../billing/account.ts'
import { insufficientCredits } from '../billing/insufficient-credits.ts'
import { priceOfSession, type Prices } from '../billing/prices.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { changeSession, lockActiveSession } from './session-queries.ts'
import { metadataColumn, readMetadata, type SessionMetadata } from './session-labels.ts'

/** A change of a session. Absent fields stay as they are. */
export interface SessionChange {
  /** Lifetime from creation to end. */
  readonly ttlSeconds?: number | undefined
  readonly activityTtlSeconds?: number | undefined
  /** `null` removes the name. */
  readonly name?: string | null | undefined
  /** Is merged with the metadata of the session. `null` removes a key. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
  /** Gives the session the price of prompts. */
  readonly isPrompted?: true | undefined
}

/**
 * Changes an active session. A change of the lifetime or the price reserves the additional credits,
 * or releases those that are no longer needed, in the same transaction. Throws SESSION_ENDED,
 * INSUFFICIENT_CREDITS, or BAD_REQUEST if the session would have too much metadata.
 */
export async function updateSession(
  { store, prices }: { readonly store: Store; readonly prices: Prices },
  id: string,
  change: SessionChange,
): Promise<SessionRow> {
  return store.db.transaction().execute(async (transaction) => {
    const row = await lockActiveSession(transaction, id)
    if (row === undefined) throw cannotChangeEnded(id)
    const { ttlSeconds = row.ttlSeconds, activityTtlSeconds = row.activityTtlSeconds } = change
    const isPrompted = row.isPrompted || change.isPrompted === true
    const changesPrice = change.ttlSeconds !== undefined || isPrompted !== row.isPrompted
    const reservedCredits = changesPrice ? priceOfSession(prices, ttlSeconds * 1000, isPrompted) : row.reservedCredits
    const updated = await changeSession(transaction, id, {
      ttlSeconds,
      activityTtlSeconds,
      reservedCredits,
      isPrompted,
      name: change.name === undefined ? row.name : (change.name ?? undefined),
      metadata: change.metadata === undefined ? row.metadata : metadataColumn(merge(row, change.metadata)),
    })
    await changeHold(transaction, row, reservedCredits - row.reservedCredits)
    return updated
  })
}

/** Creates the error for a session that has ended and can no longer be changed. */
export function cannotChangeEnded(id: string): BowlineError {
  return new BowlineError('SESSION_ENDED', `Session ${id} has ended and cannot be changed`)
}

async function changeHold(db: Kysely<Database>, { id, teamId }: SessionRow, credits: number): Promise<void> {
  if (credits < 0) await lower(db, { holdId: id, credits: -credits })
  if (credits > 0 && !(await raise(db, { holdId: id, credits })))
    throw insufficientCredits(credits, (await availableCredits(db, teamId)) ?? 0)
}

/** Merges metadata as in a JSON Merge Patch. Metadata that cannot be read are replaced. */
function merge(row: SessionRow, changes: Readonly<Record<string, string | null>>): SessionMetadata {
  const merged = new Map(Object.entries(readMetadata(row, () => undefined) ?? {}))
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  const { keys } = sessionLimits.metadata
  if (merged.size <= keys) return Object.fromEntries(merged)
  throw new BowlineError(
    'BAD_REQUEST',
    `\`metadata\` must have at most ${keys} entries. Merged with those of the session they are ${merged.size}`,
  )
}
