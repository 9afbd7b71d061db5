import type { MapLink, MapOptions } from '../contract/map.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'
import type { ClientConfig } from './config.ts'

/** The pages of a site. */
export interface SiteMap {
  /** Id of the map in the team's activity; a service may omit it. */
  readonly id: string | undefined
  readonly links: readonly MapLink[]
  /** Why there may be more pages. */
  readonly warning: string | undefined
}

/**
 * Lists the pages of a site. A missing scheme means `http://`. Rejects with MAP_TIMEOUT after `options.timeout` milliseconds,
 * with EGRESS_REFUSED or EGRESS_FAILED when the site cannot be reached. Aborting ends the work on the server, too.
 */
export type MapSite = (url: string, options?: MapOptions, how?: Abortable) => Promise<SiteMap>

/** Milliseconds for the answer to travel, beside what the map itself may take. */
const marginMs = 10_000

/** Makes the `map` of a client. */
export function createMap(call: Call, config: Pick<ClientConfig, 'timeoutMs'>): MapSite {
  return async (url, options = {}, how = {}) => {
    const timeoutMs = Math.max(config.timeoutMs, (options.timeout ?? 0) + marginMs)
    const { id, links, warning } = await call('map', { body: { ...options, url } }, { ...how, timeoutMs })
    return { id, links, warning }
  }
}
