import { ApiError, type Api } from '../api/api.ts'
import { navItems } from '../frame/nav-items.ts'
import { linkTo } from '../frame/route.ts'

/** A page that the palette can open. */
export interface Destination {
  readonly title: string
  /** Kind of the page, such as `Session`. */
  readonly kind: string
  readonly link: string
}

const maxSessions = 6

/** Returns the pages of the navigation whose title contains a text. */
export function findPages(text: string): readonly Destination[] {
  const wanted = text.trim().toLowerCase()
  return navItems
    .filter(({ title }) => title.toLowerCase().includes(wanted))
    .map(({ name, title }) => ({ title, kind: 'Page', link: linkTo([name]) }))
}

/**
 * Finds whatever has this id, and the sessions with this text in their name, profile or metadata.
 */
export async function findObjects(api: Api, text: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const wanted = text.trim()
  if (wanted.length < 2) return []
  const found = await Promise.all([
    findSessions(api, wanted, signal),
    isId(wanted) ? findById(api, wanted, signal) : [],
  ])
  return found.flat()
}

async function findSessions(api: Api, search: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const { sessions } = await api.call('listSessions', { query: { search, limit: maxSessions } }, signal)
  return sessions.map(({ id, name }) => ({ title: name ?? id, kind: 'Session', link: linkTo(['sessions', id]) }))
}

/** Asks for each kind of object with this id. Those that do not exist are left out. */
async function findById(api: Api, id: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const params = { params: { id } }
  const ifFound = async (kind: string, segments: readonly string[], reading: Promise<unknown>) =>
    reading.then(
      (): readonly Destination[] => [{ title: id, kind, link: linkTo(segments) }],
      (error: unknown): readonly Destination[] => {
        if (error instanceof ApiError && [400, 403, 404, 410].includes(error.status)) return []
        throw error
      },
    )
  const found = await Promise.all([
    ifFound('Batch', ['jobs', 'batch_scrape', id], api.call('getBatch', { ...params, query: { limit: 1 } }, signal)),
    ifFound('Crawl', ['jobs', 'crawl', id], api.call('getCrawl', { ...params, query: { limit: 1 } }, signal)),
    ifFound('Extract', ['jobs', 'extract', id], api.call('getExtract', params, signal)),
    ifFound('Monitor', ['monitors', id], api.call('getMonitor', params, signal)),
    ifFound('Scrape', ['scrapes', id], api.call('getScrape', params, signal)),
    ifFound('Webhook delivery', ['webhooks', id], api.call('getDelivery', params, signal)),
  ])
  return found.flat()
}

function isId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}
