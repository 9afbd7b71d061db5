import type { EndReason } from 'bowline/contract/browser'
import type { BrowserPool } from '../browsers/pool.ts'
import type { Extensions } from '../extensions/extensions.ts'
import type { Profiles } from '../profiles/profiles.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Prices } from '../billing/prices.ts'
import type { SessionWebhooks } from './session-webhooks.ts'
import type { LiveSession, SessionComponents, SessionCore } from './live-session.ts'

/** Dependencies of `Sessions`. */
export interface SessionDeps {
  readonly store: Store
  readonly browsers: BrowserPool
  readonly profiles: Profiles
  readonly extensions: Extensions
  readonly prices: Prices
  readonly webhooks: SessionWebhooks
  readonly nodeId: string
  readonly maxSessions: number
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
  /** Called with every ended session after it was billed. */
  readonly onEnd: (row: SessionRow) => void
  /** Called with errors of background work. */
  readonly onError: (error: unknown, action: string) => void
}

/** Dependencies of `Sessions`, and its hooks at the start and the end of each session. */
export interface SessionsDeps extends SessionDeps {
  /** Opens the components of a session. `session.resources` closes them. */
  readonly openComponents: (session: SessionCore) => SessionComponents
  /** Called with every session whose browser has started, before any client receives it. */
  readonly onStart: (session: LiveSession) => Promise<void>
  /** Called with every session that ends, while its browser may still run. The end waits for it. */
  readonly onEnding: (session: LiveSession, how: EndRequest) => Promise<void>
}

/** How a session ends. */
export interface EndRequest {
  readonly reason: EndReason
  /** Whether the client reported that its work in the session failed. */
  readonly hasFailed?: boolean
  /** Whether no client has received the session. It then costs nothing and saves nothing. */
  readonly isUnclaimed?: boolean
  /** Error message. */
  readonly error?: string
}
