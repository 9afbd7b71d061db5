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
  const credits = end.status === 'error' ? 0 : priceOfSession(parts.prices, durationMs)
  const outcome = await pRetry(
    async () => endSession(parts.store.db, { ...end, id: row.id, endedAt, durationMs, credits }),
    {
      retries: 3,
      minTimeout: 100,
    },
  )
  return outcome?.session ?? row
}
