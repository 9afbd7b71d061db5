import { jobTitles, titleOf } from 'bowline/contract/titles'
import { endpointTitles } from '../activity/activity-calls.ts'
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

/** Reads the profiles, secrets, extensions, API keys and teams. */
export async function readNamed(api: Api, signal: AbortSignal): Promise<readonly NamedDestination[]> {
  const [profiles, secrets, extensions, keys, teams] = await Promise.all([
    api.call('listProfiles', {}, signal),
    api.call('listSecrets', {}, signal),
    api.call('listExtensions', {}, signal),
    api.call('listKeys', {}, signal),
    api.call('listTeams', {}, signal),
  ])
  const inList = (kind: string, section: string) => (row: { readonly id: string; readonly name: string }) => ({
    id: row.id,
    title: row.name,
    kind,
    link: linkTo([section]),
  })
  return [
    ...profiles.data.map(({ name }) => ({ title: name, kind: 'Profile', link: linkTo(['profiles', name]) })),
    ...secrets.data.map(({ name }) => ({ title: name, kind: 'Secret', link: linkTo(['secrets']) })),
    ...extensions.data.map(inList('Extension', 'extensions')),
    ...keys.data.map(inList('Key', 'keys')),
    ...teams.data.map(inList('Team', 'teams')),
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
 * Finds the sessions, jobs and monitors with this text in their names or targets or at the start of
 * their ids, and whatever else has this id.
 */
export async function findObjects(api: Api, text: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const wanted = text.trim()
  if (wanted.length < 2) return []
  const found = await Promise.all([
    findSessions(api, wanted, signal),
    findJobs(api, wanted, signal),
    findMonitors(api, wanted, signal),
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

/** The server also finds the monitor of a check by the id of the check. */
async function findMonitors(api: Api, search: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const { data } = await api.call('listMonitors', { query: { search, limit } }, signal)
  return data.map(({ id, name }) =>
    contains(name, search) || id.startsWith(search.toLowerCase())
      ? { title: name, kind: 'Monitor', link: linkTo(['monitors', id]) }
      : { title: `${name} ${search}`, kind: 'Check', link: linkTo(['monitors', id, search.toLowerCase()]) },
  )
}

/**
 * Finds the scrape, the webhook delivery, or the failed scrape, map or search with this id. Failed
 * scrapes, maps and searches have no page of their own and are found in the activity.
 */
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
    findInActivity(api, id, signal),
  ])
  return found.flat()
}

async function findInActivity(api: Api, id: string, signal: AbortSignal): Promise<readonly Destination[]> {
  const { data } = await api.call('activity', { query: { search: id, limit: '1' } }, signal)
  return data
    .filter(
      ({ endpoint, error }) =>
        endpoint === 'map' || endpoint === 'search' || (endpoint === 'scrape' && error !== undefined),
    )
    .map(({ endpoint, target }) => ({
      title: target ?? id,
      kind: titleOf(endpointTitles, endpoint),
      link: linkTo(['activity'], { search: id }),
    }))
}

function contains(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase())
}

function isId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}
