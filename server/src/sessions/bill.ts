import type { Transaction } from 'kysely'
import pRetry from 'p-retry'
import type { EndReason } from 'bowline/contract/browser'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { priceOfSession, type Prices } from '../billing/prices.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Database } from '../store/schema.ts'
import { endSession } from './session-account.ts'
import { removeSession } from './session-queries.ts'
import { unsavedAtEnd } from './unsaved-profile.ts'
import type { SessionWebhooks } from './session-webhooks.ts'

/** How a session ended. */
export interface SessionEnd {
  readonly status: 'destroyed' | 'error'
  readonly reason: EndReason
  /** Lifetime of the session in milliseconds. Time beyond its TTL is not billed. */
  readonly durationMs: number
  /** Milliseconds from its creation to its last use. Default: the last recorded one. */
  readonly lastUseMs?: number
  /** Error message. With status `error` the session never started and costs nothing. */
  readonly error?: string
  /** Outcome of saving its profile. */
  readonly profile?: ProfileSaveOutcome | undefined
}

/** Outcome of saving a profile: the new version, or why none was saved. */
export type ProfileSaveOutcome = { readonly version: number } | { readonly error: string }

/** Dependencies of `billSession`. */
export interface BillingDeps {
  readonly store: Store
  readonly prices: Prices
  /** Receives the end of the session, in the transaction of its bill. */
  readonly webhooks: Pick<SessionWebhooks, 'ended'>
  /** Milliseconds to wait for rows that others have locked. Default: no limit. */
  readonly lockTimeoutMs?: number | undefined
}

/**
 * Records the end of a session and its bill in one transaction. Ending it again returns the first
 * bill.
 */
export async function billSession(deps: BillingDeps, row: SessionRow, end: SessionEnd): Promise<SessionRow> {
  const durationMs = Math.round(Math.min(Math.max(0, end.durationMs), row.ttlSeconds * 1000))
  const endedAt = new Date(row.createdAt.getTime() + durationMs)
  const lastActivityAt = end.lastUseMs === undefined ? undefined : new Date(row.createdAt.getTime() + end.lastUseMs)
  const credits = end.status === 'error' ? 0 : priceOfSession(deps.prices, durationMs, row.isPrompted)
  const { status, reason, error } = end
  const profile = end.profile ?? lostProfile(row, end)
  const profileVersion = profile !== undefined && 'version' in profile ? profile.version : undefined
  const profileError = profile !== undefined && 'error' in profile ? profile.error : undefined
  const figures = { endedAt, lastActivityAt, durationMs, credits, profileVersion, profileError }
  const ending = { id: row.id, status, reason, error, ...figures }
  const onEnded = async (transaction: Transaction<Database>, ended: SessionRow): Promise<void> =>
    deps.webhooks.ended(transaction, ended)
  const options = { onEnded, lockTimeoutMs: deps.lockTimeoutMs }
  // With a limit, the caller repeats the work later: each attempt would wait for the locked row.
  const retries = deps.lockTimeoutMs === undefined ? 3 : 0
  const outcome = await pRetry(async () => endSession(deps.store.db, ending, options), { retries, minTimeout: 100 })
  return outcome?.session ?? row
}

/** Describes the profile of a session whose server was lost before it could save it. */
function lostProfile(row: SessionRow, { status, reason }: SessionEnd): ProfileSaveOutcome | undefined {
  const isUnsaved = row.profileSave === true && status === 'destroyed' && reason === 'lost'
  return isUnsaved ? { error: unsavedAtEnd(reason, row.profileLoaded) } : undefined
}

/**
 * Ends a session whose browser has not started, without a bill. If the request was refused, such as
 * one whose options this server lacks, the session is removed.
 */
export async function endFailedStart(deps: BillingDeps, row: SessionRow, cause: unknown): Promise<void> {
  const end = { status: 'error', reason: 'crashed', durationMs: 0, error: messageOf(cause) } as const
  await billSession(deps, row, end)
  const isRefused = isBowlineError(cause) && (cause.status < 500 || cause.code === 'NOT_IMPLEMENTED')
  if (isRefused) await removeSession(deps.store.db, row.id)
}
