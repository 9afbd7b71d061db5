import type { SessionSummary } from '../contract/browser.ts'
import { endReasonTitles, titleOf, titleOfStatus } from '../contract/titles.ts'

/** Words for the fields of a session. They are those of tables and of jobs. */
const titles: Readonly<Record<string, string>> = {
  cdpUrl: 'CDP URL',
  liveViewUrl: 'live view',
  interactiveLiveViewUrl: 'interactive live view',
  createdAt: 'created',
  lastActivity: 'last activity',
  expiresAt: 'expires',
  endedAt: 'ended',
  creditsBilled: 'credits',
  handoff: 'hand-off',
}

/** Fields that other facts contain: the status has the reason, and the URLs show the live view. */
const hidden: ReadonlySet<string> = new Set(['success', 'endReason', 'streamWebView'])

/** Names the facts of a session for `printFacts`. Fields of newer servers keep their names. */
export function sessionFacts(session: SessionSummary): Readonly<Record<string, unknown>> {
  const { sessionDurationMs, omittedOptions, ...fields } = session
  const facts = Object.entries({ ...fields, status: describeStatus(session) }).filter(
    ([name, value]) => !hidden.has(name) && value !== '',
  )
  return {
    ...Object.fromEntries(facts.map(([name, value]) => [titleOf(titles, name), value])),
    duration: sessionDurationMs === undefined ? undefined : `${(sessionDurationMs / 1000).toFixed(1)} s`,
    'omitted options': Array.isArray(omittedOptions) ? omittedOptions.join(', ') : undefined,
  }
}

/** Returns the status of a session with the reason of its end. */
export function describeStatus({ status, endReason }: Pick<SessionSummary, 'status' | 'endReason'>): string {
  const title = titleOfStatus(status)
  return endReason === undefined ? title : `${title} (${titleOf(endReasonTitles, endReason)})`
}
