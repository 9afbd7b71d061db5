import type { SessionScrapeRequest } from 'bowline/contract/session-scrape'
import { scrapeResponse, type ScrapeResponse } from 'bowline/contract/scrape'
import { fillPath } from 'bowline/contract/fill-path'
import { paths } from 'bowline/contract/paths'
import { requestPeer } from '../cluster/relay.ts'
import type { BilledScrapes } from '../scrape/billed-scrapes.ts'
import { getTeamSession } from '../sessions/session-queries.ts'
import { abortOnDisconnect } from './disconnect-signal.ts'
import type { Call } from './register.ts'
import { requireLiveSession } from './require-live-session.ts'
import { peerOfRow, type SessionNodeDeps } from './session-node.ts'

/** Dependencies of `scrapeSession`. */
export interface SessionScrapeDeps extends SessionNodeDeps {
  readonly billedScrapes: Pick<BilledScrapes, 'scrapeSession'>
}

/**
 * Scrapes a page of a session, on the node that runs it. Throws SESSION_NOT_FOUND, also for
 * sessions of other teams, and like `BilledScrapes.scrapeSession`.
 */
export async function scrapeSession(
  deps: SessionScrapeDeps,
  { sessionId: id, ...request }: SessionScrapeRequest & { readonly sessionId: string },
  { key, baseUrl, raw }: Call,
): Promise<ScrapeResponse> {
  const { store, sessions, billedScrapes } = deps
  const row = await getTeamSession(store.db, id, key.teamId)
  using caller = abortOnDisconnect(raw)
  const { signal } = caller
  const peer = await peerOfRow(deps, row, raw.raw)
  if (peer !== undefined) {
    const path = fillPath(paths.scrapeSession.path, { id })
    return scrapeResponse.parse(await requestPeer(peer, raw.raw, request, { path, signal }))
  }
  const session = await requireLiveSession(sessions, row)
  session.touch()
  const who = { teamId: key.teamId, apiKeyId: key.id, baseUrl, signal }
  const { document } = await billedScrapes.scrapeSession(session, { ...who, request })
  session.touch()
  return { success: true, data: document }
}
