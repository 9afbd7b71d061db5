import { z } from 'zod'
import { auditMetadata } from './audit.ts'
import { clientName } from './bounded.ts'
import { location } from './location.ts'
import { requestHeaders } from './request-headers.ts'
import { domains } from './session-network.ts'
import { threatProtection } from './threat-protection.ts'

/** Range of `limit`. The default follows the API specification. */
export const mapLimits = { min: 1, max: 100_000, default: 5000 } as const

const hostShape = /(?:^\[.+\]$|^\d+(?:\.\d+){3}$|(?:^|\.)localhost\.?$|\.(?:[a-z]{2,63}|xn--[a-z\d-]+)\.?$)/

/**
 * Schema of an HTTP URL. The default scheme is `http://`. The host must be an IP address or have a
 * top-level domain.
 */
export const webAddress = z
  .string()
  .max(8192)
  .transform((text, context) => {
    const trimmed = text.trim()
    const url = URL.parse(/^[a-z][a-z\d+-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`)
    const problem = url === null ? 'Invalid URL' : problemOf(url)
    if (url !== null && problem === undefined) return url.href
    context.addIssue({ code: 'custom', message: problem ?? 'Invalid URL', input: text })
    return z.NEVER
  })

function problemOf(url: URL): string | undefined {
  if (!['http:', 'https:'].includes(url.protocol)) return 'URL uses unsupported protocol'
  if (url.username !== '' || url.password !== '') return 'URL must not contain a user name or password'
  if (!hostShape.test(url.hostname)) return 'URL must have a valid top-level domain or be an IP address'
  return undefined
}

const shared = {
  /** URL of the site. */
  url: webAddress,
  /** Sorts links that match these words first. Does not filter. */
  search: z.string().max(1000).optional(),
  /** Includes links to subdomains. Default: true. */
  includeSubdomains: z.boolean().default(true),
  /**
   * Removes the query of each URL. If false, only tracking parameters are removed. Default: true.
   */
  ignoreQueryParameters: z.boolean().default(true),
  /** Lists only links below the path of `url`, if there are any. Default: true. */
  filterByPath: z.boolean().default(true),
  /**
   * Hosts that may be requested and listed, in the form of `allowedDomains` of a session. Redirects
   * to other hosts are not followed. Default: all hosts of the site.
   */
  allowedDomains: domains.optional(),
  /** Maximum number of links, 1 to 100000. Default: 5000. */
  limit: z.int().min(mapLimits.min).max(mapLimits.max).default(mapLimits.default),
  /**
   * Milliseconds after which the map ends with the links found so far and a `warning`, or fails
   * with MAP_TIMEOUT if there are none. Default: 50000.
   */
  timeout: z.number().positive().max(3_600_000).optional(),
  /** Emulated location: the languages of requests, and the time zone of a rendered start page. */
  location: location.optional(),
  /** Headers sent to the site only. */
  headers: requestHeaders.optional(),
  threatProtection,
  /** Says on whose behalf the call is made. Listed in the activity. */
  auditMetadata: auditMetadata.optional(),
  /** Accepted for compatibility, without effect: there is no shared index of maps. */
  useIndex: z.boolean().optional(),
  /** Accepted for compatibility, without effect: maps are not cached. */
  ignoreCache: z.boolean().optional(),
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
  /** Name of the integration. Ignored. */
  integration: clientName.nullish(),
}

/** Body of `POST /v2/map`. Unknown keys are rejected. */
export const mapRequest = z.strictObject({
  ...shared,
  /**
   * `include`: sitemaps and links; `skip`: links only; `only`: sitemaps only. Default: `include`.
   */
  sitemap: z.enum(['include', 'skip', 'only']).default('include'),
})

/** Body of `POST /v1/map`. Unknown keys are rejected. */
export const mapRequestV1 = z.strictObject({
  ...shared,
  /** Does not read sitemaps. Default: false. */
  ignoreSitemap: z.boolean().default(false),
  /** Reads only sitemaps. Default: false. */
  sitemapOnly: z.boolean().default(false),
})

/** A page of a site. */
export const mapLink = z.looseObject({
  url: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
})

/** Response of `POST /v2/map`. */
export const mapResponse = z.looseObject({
  success: z.literal(true),
  id: z.string().optional(),
  links: z.array(mapLink),
  /** Why the list may be incomplete. */
  warning: z.string().optional(),
})

/** Response of `POST /v1/map`. */
export const mapResponseV1 = z.looseObject({ success: z.literal(true), links: z.array(z.string()) })

export type MapRequest = z.output<typeof mapRequest>
export type MapRequestV1 = z.output<typeof mapRequestV1>
/**
 * Options of a map.
 *
 * @example
 * ```ts
 * import { Bowline, type MapOptions } from 'bowline'
 *
 * const options: MapOptions = { search: 'pricing', includeSubdomains: false, limit: 100 }
 * const { links } = await new Bowline().map('https://example.com', options)
 * for (const { url, title } of links) console.log(url, title)
 * ```
 */
export type MapOptions = Omit<z.input<typeof mapRequest>, 'url'>

/**
 * A page of a site map.
 *
 * @example
 * ```ts
 * import { Bowline, type MapLink } from 'bowline'
 *
 * const { links } = await new Bowline().map('https://example.com', { limit: 10 })
 * const titles = links.map(({ url, title }: MapLink) => title ?? url)
 * console.log(titles)
 * ```
 */
export type MapLink = z.output<typeof mapLink>
export type MapResponse = z.output<typeof mapResponse>
