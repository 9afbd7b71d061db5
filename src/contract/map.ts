import { z } from 'zod'
import { clientName } from './bounded.ts'
import { location } from './location.ts'
import { requestHeaders } from './request-headers.ts'

/** Bounds of `limit`, the most links of one map (the default is that of the API specification). */
export const mapLimits = { min: 1, max: 100_000, default: 5000 } as const

const hostShape = /(?:^\[.+\]$|^\d+(?:\.\d+){3}$|(?:^|\.)localhost\.?$|\.(?:[a-z]{2,63}|xn--[a-z\d-]+)\.?$)/

/** A web address as people write it: a missing scheme means `http://`. The host is an IP address or has a top-level domain. */
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
  if (url.username !== '' || url.password !== '') return 'URL must not hold a user name or password'
  if (!hostShape.test(url.hostname)) return 'URL must have a valid top-level domain or be an IP address'
  return undefined
}

const shared = {
  /** Where to start. */
  url: webAddress,
  /** Puts the links that have to do with these words first. Leaves none out. */
  search: z.string().max(1000).optional(),
  /** Whether links to subdomains count. Default true. */
  includeSubdomains: z.boolean().default(true),
  /** Whether addresses are listed without their query. When false, only tracking parameters are taken off. Default true. */
  ignoreQueryParameters: z.boolean().default(true),
  /** Whether only links under the path of `url` are listed, where there are any. Default true. */
  filterByPath: z.boolean().default(true),
  /** Most links, 1 to 100,000. Default 5000. */
  limit: z.int().min(mapLimits.min).max(mapLimits.max).default(mapLimits.default),
  /** Milliseconds after which the call fails with MAP_TIMEOUT. Default: no limit; the server stops looking after 50 s. */
  timeout: z.number().positive().max(3_600_000).optional(),
  /** Where to ask from: the languages of what is fetched, and the time zone of a start page that is rendered. */
  location: location.optional(),
  /** Headers sent to the site, and to no other. */
  headers: requestHeaders.optional(),
  /** Accepted and without effect: there is no index of other people's maps. */
  useIndex: z.boolean().optional(),
  /** Accepted and without effect: every map is made anew. */
  ignoreCache: z.boolean().optional(),
  /** Name of the calling program. */
  origin: clientName.optional(),
  /** Name of the calling integration. */
  integration: clientName.nullish(),
}

/** Body of `POST /v2/map`. Unknown keys are refused. */
export const mapRequest = z.strictObject({
  ...shared,
  /** `include`: sitemaps and the links of pages; `skip`: no sitemaps; `only`: nothing but sitemaps. Default `include`. */
  sitemap: z.enum(['include', 'skip', 'only']).default('include'),
})

/** Body of `POST /v1/map`. Unknown keys are refused. */
export const mapRequestV1 = z.strictObject({
  ...shared,
  /** Whether sitemaps are left alone. Default false. */
  ignoreSitemap: z.boolean().default(false),
  /** Whether only sitemaps are read. Default false. */
  sitemapOnly: z.boolean().default(false),
})

/** One page of a site. */
export const mapLink = z.looseObject({
  url: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
})

/** Answer of `POST /v2/map`. */
export const mapResponse = z.looseObject({
  success: z.literal(true),
  id: z.string().optional(),
  links: z.array(mapLink),
  /** Why there may be more than was found. */
  warning: z.string().optional(),
})

/** Answer of `POST /v1/map`. */
export const mapResponseV1 = z.looseObject({ success: z.literal(true), links: z.array(z.string()) })

export type MapRequest = z.output<typeof mapRequest>
export type MapRequestV1 = z.output<typeof mapRequestV1>
export type MapOptions = Omit<z.input<typeof mapRequest>, 'url'>
export type MapLink = z.output<typeof mapLink>
export type MapResponse = z.output<typeof mapResponse>
