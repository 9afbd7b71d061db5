import type { ActivityEndpoint } from '../contract/activity.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/** A job of the last 24 hours. */
export interface ActivityRecord {
  /** Reads the job's result again where there is one: of a scrape, batch, crawl, extraction or session. */
  readonly id: string
  readonly endpoint: string
  /** `v1` or `v2`. */
  readonly apiVersion: string
  readonly createdAt: string
  /** Address, first address or query. Undefined: there is none. */
  readonly target: string | undefined
}

/** Which jobs are wanted. */
export interface ActivityOptions extends Abortable {
  /** Default: jobs of every kind. */
  readonly endpoint?: ActivityEndpoint | undefined
  /** Jobs fetched at a time, 100 at most. Default 100. */
  readonly pageSize?: number | undefined
}

/** The jobs of the last 24 hours, newest first, fetched page by page while they are asked for. */
export type ListActivity = (options?: ActivityOptions) => AsyncIterable<ActivityRecord>

/** Makes the `activity` of a client. */
export function createActivity(call: Call): ListActivity {
  return async function* ({ endpoint, pageSize = 100, ...how } = {}) {
    let cursor: string | undefined
    do {
      const query = {
        limit: String(pageSize),
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(cursor === undefined ? {} : { cursor }),
      }
      const page = await call('activity', { query }, how)
      for (const { id, endpoint: kind, api_version: apiVersion, created_at: createdAt, target } of page.data) {
        yield { id, endpoint: kind, apiVersion, createdAt, target: target ?? undefined }
      }
      cursor = page.cursor ?? undefined
    } while (cursor !== undefined)
  }
}
