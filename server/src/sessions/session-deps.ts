import type { EndReason } from 'bowline/contract/browser'
import type { BrowserPool } from '../browsers/pool.ts'
import type { Profiles } from '../profiles/profiles.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Prices } from '../usage/prices.ts'
import type { LiveSession } from './live-session.ts'

/** What the sessions of a node are built from. */
export interface SessionDeps {
  readonly store: Store
  readonly browsers: BrowserPool
  readonly profiles: Profiles
  readonly prices: Prices
  readonly nodeId: string
  readonly maxSessions: number
  /** Called with every session whose browser is there, before anybody else gets it. */
  readonly onStart?: (session: LiveSession) => void | Promise<void>
  /** Called with every session that ends, while its browser may still be there; its end waits for it. */
  readonly onEnding?: (session: LiveSession, how: SessionEnding) => Promise<void>
  /** Called with every session that ends, after it was billed. */
  readonly onEnd?: (row: SessionRow) => void
  /** Called with what went wrong where nobody waits for the answer. */
  readonly onError: (error: unknown, what: string) => void
}

/** How a session ends. */
export interface SessionEnding {
  readonly reason: EndReason
  /** Whether its client says that the work on it has failed. */
  readonly hasFailed?: boolean
  /** Whether nobody ever got it: then it costs nothing, and saves nothing. */
  readonly isUnclaimed?: boolean
  /** What went wrong. */
  readonly error?: string
}
