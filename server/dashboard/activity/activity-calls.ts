import type { RouteOutput } from 'bowline/contract/route-types'
import { jobTitles } from 'bowline/contract/titles'
import type { Api } from '../api/api.ts'
import type { CsvRow } from '../components/csv.ts'
import { spanOf } from '../components/time-span.ts'
import type { PageOfRows } from '../frame/use-pages.ts'
import { linkTo } from '../frame/route.ts'

/** An API call of the last 24 hours. */
export type ActivityItem = RouteOutput<'activity'>['data'][number]

/** Words for the endpoints in the activity log. */
export const endpointTitles: Readonly<Record<ActivityItem['endpoint'], string>> = {
  browser: 'Session',
  interact: 'Interaction',
  scrape: 'Scrape',
  ...jobTitles,
  search: 'Search',
  map: 'Map',
}

/** Filters of the list. Empty for all. */
export interface ActivityFilters {
  readonly endpoint: string
  /** `failed` or `succeeded`. */
  readonly outcome: string
  readonly search: string
  /** Name of a time range. */
  readonly range: string
}

interface ActivityPageQuery {
  readonly cursor?: string | undefined
  readonly limit: number
}

/** Reads a page of the team's activity, newest first. */
export async function readActivity(
  api: Api,
  { endpoint, outcome, search, range }: ActivityFilters,
  { cursor, limit }: ActivityPageQuery,
  signal?: AbortSignal,
): Promise<PageOfRows<ActivityItem>> {
  const query = {
    endpoint,
    failed: outcome === '' ? undefined : outcome === 'failed' ? ('true' as const) : ('false' as const),
    search: search === '' ? undefined : search,
    ...spanOf(range),
    cursor,
    limit: String(limit),
  }
  const page = await api.call('activity', { query }, signal)
  return { rows: page.data, cursor: page.has_more ? page.cursor : null }
}

/** Reads the whole activity log, newest first, as rows of a CSV file. */
export async function readActivityRows(api: Api, filters: ActivityFilters): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = []
  for (let cursor: string | undefined; ;) {
    const page = await readActivity(api, filters, { cursor, limit: 100 })
    rows.push(...page.rows.map(toCsvRow))
    if (page.cursor === null) return rows
    cursor = page.cursor
  }
}

function toCsvRow({ created_at: time, endpoint, target, id, error, api_version: version }: ActivityItem): CsvRow {
  return { time, endpoint, target, id, error: error ?? '', version }
}

/** Link to the dashboard page that shows a call or can repeat it. */
export function linkOf({ endpoint, id, target, error }: ActivityItem): string | undefined {
  if (endpoint === 'browser' || endpoint === 'interact') return linkTo(['sessions', id])
  if (endpoint === 'crawl' || endpoint === 'batch_scrape' || endpoint === 'extract' || endpoint === 'agent')
    return linkTo(['jobs', endpoint, id])
  if (endpoint === 'scrape' && error === undefined) return linkTo(['scrapes', id])
  if (target === null) return undefined
  if (endpoint === 'scrape') return linkTo(['playground', 'scrape'], { url: target })
  if (endpoint === 'map') return linkTo(['playground', 'map'], { url: target })
  return endpoint === 'search' ? linkTo(['playground', 'search'], { query: target }) : undefined
}

/** Target of a call, or the id of a session without a name. */
export function targetOf({ endpoint, target, id }: ActivityItem): string {
  const isUnnamed = target === null || (endpoint === 'browser' && target === unnamedSession)
  return isUnnamed ? `${id.slice(0, 13)}…` : target
}

/** The target of sessions without a name in the activity log. */
const unnamedSession = 'Browser session'
