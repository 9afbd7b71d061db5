import type { MapLink, MapOptions } from '../contract/map.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'
import type { ClientConfig } from './config.ts'
import { requestTimeout } from './request-timeout.ts'

/**
 * Result of `bowline.map()`.
 *
 * @example
 * ```ts
 * import { Bowline, type SiteMap } from 'bowline'
 *
 * const { links, warning }: SiteMap = await new Bowline().map('https://example.com')
 * for (const { url, title, description } of links) console.log(url, title, description)
 * if (warning !== undefined) console.warn(warning)
 * ```
 */
export interface SiteMap {
  /** Id of the job in `activity()`. Some services omit it. */
  readonly id: string | undefined
  /** URLs, with title and description where known. */
  readonly links: readonly MapLink[]
  /** Explains why the list may be incomplete. */
  readonly warning: string | undefined
}

/**
 * Lists the URLs of a site from robots.txt, sitemaps and links. A URL without a scheme is read as
 * `http://`.
 *
 * Rejects with MAP_TIMEOUT if no link was found within `options.timeout` milliseconds, and with
 * EGRESS_REFUSED or EGRESS_FAILED if the site cannot be reached. Aborting also stops the work on
 * the server.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { links } = await bowline.map('https://example.com', { limit: 100 })
 * for (const { url, title } of links) console.log(url, title)
 * ```
 */
export type MapSite = (url: string, options?: MapOptions, requestOptions?: Abortable) => Promise<SiteMap>

/** Added to the time limit of the map for the transfer of the response, in milliseconds. */
const marginMs = 10_000

/** Creates `bowline.map`. */
export function createMap(call: Call, config: Pick<ClientConfig, 'timeoutMs'>): MapSite {
  return async (url, options = {}, requestOptions = {}) => {
    const timeoutMs = Math.max(config.timeoutMs, requestTimeout(options.timeout, { fallback: 0, grace: marginMs }))
    const { id, links, warning } = await call('map', { body: { ...options, url } }, { ...requestOptions, timeoutMs })
    return { id, links, warning }
  }
}
