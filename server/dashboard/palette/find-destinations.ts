import { ApiError, type Api } from '../api/api.ts'
import { navItems } from '../frame/nav-items.ts'
import { linkTo } from '../frame/route.ts'
import { jobTitles } from '../jobs/job-calls.ts'
import { listMonitors } from '../monitors/monitor-calls.ts'

/** A page that the palette can open. */
export interface Destination {
  readonly title: string
  /** Kind of the page, such as `Session`. */
  readonly kind: string
  readonly link: string
}

/** Maximum number of results of each kind. */
const limit = 6

/** Returns the pages of the navigation whose title contains a text. */
export function findPages(text: string): readonly Destination[] {
  return navItems
    .filter(({ title }) => contains(title, text.trim()))
    .map(({ name, title }) => ({ title, kind: 'Page', link: linkTo([name]) }))
}

/** A page whose list cannot be searched by the server. */
export interface NamedDestination extends Destination {
  readonly id?: string
}

/** Reads the profiles, monitors and extensions. */
export async function readNamed(api: Api, signal: AbortSignal): Promise<readonly NamedDestination[]> {
  const [profiles, monitors, extensions] = await Promise.all([
    api.call('listProfiles', {}, signal),
    listMonitors(api, signal),
    api.call('listExtensions', {}, signal),
  ])
  return [
    ...profiles.data.map(({ name }) => ({ title: name, kind: 'Profile', link: linkTo(['profiles', name]) })),
    ...monitors.map(({ id, name }) => ({ id, title: name, kind: 'Monitor', link: linkTo(['monitors', id]) })),
    ...extensions.data.map(({ id, name }) => ({ id, title: name, kind: 'Extension', link: linkTo(['extensions']) })),
  ]
}

/** Returns those with a text in their name or at the start of their id, at most six of a kind. */
export function findNamed(named: readonly NamedDestination[], text: string): readonly Destination[] {
  const wanted = text.trim()
  if (wanted.length < 2) return []
  const found = named.filter(
    ({ id, title }) => contains(title, wanted) || id?.startsWith(wanted.toLowerCase()) === true,
  )
  return [...Map.groupBy(found, ({ kind }) => kind).values()].flatMap((each) => each.slice(0, limit))
}

/**
 * Finds the sessions and jobs with this text in their names or targets or at the start of their
 * ids, and whatever else has this id.
 */
export async function findObjects(api: Api, text: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const wanted = text.trim()
  if (wanted.length < 2) return []
  const found = await Promise.all([
    findSessions(api, wanted, signal),
    findJobs(api, wanted, signal),
    isId(wanted) ? findById(api, wanted, signal) : [],
  ])
  return found.flat()
}

async function findSessions(api: Api, search: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const { sessions } = await api.call('listSessions', { query: { search, limit } }, signal)
  return sessions.map(({ id, name }) => ({ title: name ?? id, kind: 'Session', link: linkTo(['sessions', id]) }))
}

async function findJobs(api: Api, search: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const { data } = await api.call('listJobs', { query: { search, limit } }, signal)
  return data.map(({ id, kind, target }) => ({
    title: target === undefined || id.startsWith(search.toLowerCase()) ? id : target,
    kind: jobTitles[kind],
    link: linkTo(['jobs', kind, id]),
  }))
}

/** Asks for a scrape and a webhook delivery with this id: their lists cannot be searched by it. */
async function findById(api: Api, id: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const params = { params: { id } }
  const ifFound = async (kind: string, section: string, reading: Promise<unknown>) =>
    reading.then(
      (): readonly Destination[] => [{ title: id, kind, link: linkTo([section, id]) }],
      (error: unknown): readonly Destination[] => {
        if (error instanceof ApiError && [400, 403, 404, 410].includes(error.status)) return []
        throw error
      },
    )
  const found = await Promise.all([
    ifFound('Scrape', 'scrapes', api.call('getScrape', params, signal)),
    ifFound('Webhook delivery', 'webhooks', api.call('getDelivery', params, signal)),
  ])
  return found.flat()
}

function contains(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase())
}

function isId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}
