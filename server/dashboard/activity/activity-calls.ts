import type { RouteOutput } from 'bowline/contract/route-types'
import type { Api } from '../api/api.ts'
import { linkTo } from '../frame/route.ts'

/** A page of the activity log. */
export type ActivityPage = RouteOutput<'activity'>

/** An API call of the last 24 hours. */
export type ActivityItem = ActivityPage['data'][number]

/** The endpoints in the activity log. */
export const endpoints = ['scrape', 'crawl', 'batch_scrape', 'search', 'extract', 'map', 'browser'] as const

interface ActivityQuery {
  readonly endpoint?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

/** Reads a page of the team's activity, newest first. */
export async function readActivity(api: Api, query: ActivityQuery, signal?: AbortSignal): Promise<ActivityPage> {
  return api.call('activity', { query: { ...query, limit: query.limit?.toString() } }, signal)
}

/** Reads the whole activity log, newest first. */
export async function readAllActivity(api: Api, endpoint: string): Promise<readonly ActivityItem[]> {
  const items: ActivityItem[] = []
  for (let cursor: string | undefined; ;) {
    const page = await readActivity(api, { endpoint, cursor, limit: 100 })
    items.push(...page.data)
    if (!page.has_more || page.cursor === null) return items
    cursor = page.cursor
  }
}

/** Link to the dashboard page that shows a call or can repeat it. */
export function linkOf({ endpoint, id, target, error }: ActivityItem): string | undefined {
  if (endpoint === 'browser' || endpoint === 'interact') return linkTo(['sessions', id])
  if (endpoint === 'crawl' || endpoint === 'batch_scrape' || endpoint === 'extract')
    return linkTo(['jobs', endpoint, id])
  if (endpoint === 'scrape' && error === undefined) return linkTo(['scrapes', id])
  if (target === null) return undefined
  if (endpoint === 'scrape') return linkTo(['playground', 'scrape'], { url: target })
  if (endpoint === 'map') return linkTo(['playground', 'map'], { url: target })
  return endpoint === 'search' ? linkTo(['playground', 'search'], { query: target }) : undefined
}
