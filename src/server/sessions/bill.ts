import pRetry from 'p-retry'
import type { EndReason } from '../../contract/browser.ts'
import { endSession, type SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/open.ts'
import { priceOfSession, type Prices } from '../usage/prices.ts'

/** How a session ended. */
export interface SessionEnd {
  readonly status: 'destroyed' | 'error'
  readonly reason: EndReason
  /** Milliseconds it was alive. What goes beyond its total lifetime is not billed. */
  readonly durationMs: number
  /** Milliseconds from its creation to its last use. Default: as last recorded. */
  readonly lastUseMs?: number
  /** Why it never came to life, with status `error`: such a session costs nothing. */
  readonly error?: string
}

/** Writes the end of a session and its bill in one transaction, once: a second end answers with the first bill. */
export const billSession = async (
  parts: { readonly store: Store; readonly prices: Prices },
  row: SessionRow,
  end: SessionEnd,
): Promise<SessionRow> => {
  const durationMs = Math.round(Math.min(Math.max(0, end.durationMs), row.ttlSeconds * 1000))
  const endedAt = new Date(row.createdAt.getTime() + durationMs)
  const lastActivityAt = end.lastUseMs === undefined ? undefined : new Date(row.createdAt.getTime() + end.lastUseMs)
  const credits = end.status === 'error' ? 0 : priceOfSession(parts.prices, durationMs)
  const { status, reason, error } = end
  const ending = { id: row.id, status, reason, error, endedAt, lastActivityAt, durationMs, credits }
  const outcome = await pRetry(async () => endSession(parts.store.db, ending), { retries: 3, minTimeout: 100 })
  return outcome?.session ?? row
}
