import type { ActivityEndpoint } from '../contract/activity.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/**
 * An API call of the last 24 hours that started a session, scrape, map, search or job.
 *
 * @example
 * ```ts
 * import type { ActivityRecord } from 'bowline'
 *
 * function describe({ createdAt, endpoint, target, error }: ActivityRecord): string {
 *   return `${createdAt} ${endpoint} ${target ?? ''} ${error ?? 'succeeded'}`
 * }
 * ```
 */
export interface ActivityRecord {
  /** Id for `getScrape`, `getExtract`, `sessions.get` and the like, while the result is stored. */
  readonly id: string
  /** Kind of the call, such as `scrape`, `crawl` or `browser`. */
  readonly endpoint: string
  /** API version of the request: `v1` or `v2`. */
  readonly apiVersion: string
  /** ISO 8601 time. */
  readonly createdAt: string
  /** URL, first URL, search query or session name. `undefined` if the call has none. */
  readonly target: string | undefined
  /**
   * Number of pages of a batch or crawl, with the failed ones. `undefined` for other calls, and if
   * the job has been removed.
   */
  readonly pages: number | undefined
  /** Error code, such as `SCRAPE_TIMEOUT`. `undefined` if the call succeeded. */
  readonly error: string | undefined
}

/**
 * Filter and page size of `bowline.activity()`.
 *
 * @example
 * ```ts
 * import { Bowline, type ActivityOptions } from 'bowline'
 *
 * const options: ActivityOptions = {
 *   endpoint: 'scrape',
 *   failed: true,
 *   from: '2026-03-06T08:00:00Z',
 * }
 * for await (const { target, error } of new Bowline().activity(options))
 *   console.log(target, error)
 * ```
 */
export interface ActivityOptions extends Abortable {
  /** Only calls of this kind. Default: all. */
  readonly endpoint?: ActivityEndpoint | undefined
  /**
   * Only calls whose id starts with this text, or whose target or error code contain it. Default:
   * all.
   */
  readonly search?: string | undefined
  /** Only failed calls, or only others. Default: all. */
  readonly failed?: boolean | undefined
  /** Only calls at this time or later, as ISO 8601. Default: all. */
  readonly from?: string | undefined
  /** Only calls before this time, as ISO 8601. Default: all. */
  readonly to?: string | undefined
  /** Calls fetched per request, 1 to 100. Default: 100. */
  readonly pageSize?: number | undefined
}

/**
 * Lists the API calls of the last 24 hours that started work, newest first. Pages are fetched as
 * the iteration proceeds.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * for await (const { createdAt, endpoint, target } of bowline.activity({ endpoint: 'scrape' })) {
 *   console.log(createdAt, endpoint, target)
 * }
 * ```
 */
export type ListActivity = (options?: ActivityOptions) => AsyncIterable<ActivityRecord>

/** Creates `bowline.activity`. */
export function createActivity(call: Call): ListActivity {
  return async function* ({ endpoint, search, failed, from, to, pageSize = 100, ...requestOptions } = {}) {
    let cursor: string | undefined
    do {
      const onlyFailed = failed === undefined ? undefined : failed ? ('true' as const) : ('false' as const)
      const query = { limit: String(pageSize), endpoint, search, failed: onlyFailed, from, to, cursor }
      const page = await call('activity', { query }, requestOptions)
      for (const {
        id,
        endpoint: kind,
        api_version: apiVersion,
        created_at: createdAt,
        target,
        pages,
        error,
      } of page.data) {
        yield { id, endpoint: kind, apiVersion, createdAt, target: target ?? undefined, pages, error }
      }
      cursor = page.cursor ?? undefined
    } while (cursor !== undefined)
  }
}
