import { urlWithoutFragment } from '../../kit/url-without-fragment.ts'
import { redactionOf } from 'bowline/contract/redaction'
import { scrapeRequest, type ScrapeRequest } from 'bowline/contract/scrape'
import { sha256 } from 'bowline/kit/sha256'
import { stableJson } from '../../kit/stable-json.ts'
import { asksForEnhancedProxy } from '../load/load-with-proxy.ts'
import { canonicalLocation, localeOf } from '../fetch/page-locale.ts'
import { canonicalList, canonicalOptions, canonicalRedaction } from './canonical-options.ts'

/** Options that have no influence on the content of a document. */
const ignoredForCacheKey: ReadonlySet<string> = new Set([
  'maxAge',
  'minAge',
  'storeInCache',
  'lockdown',
  'timeout',
  'proxy',
])

/**
 * Returns the cache key of a page: everything about a request that its site sees.
 * Undefined if the page must not be shared between scrapes.
 */
export function pageCacheKey(request: ScrapeRequest): string | undefined {
  if (isPersonal(request)) return undefined
  // Cached pages can have other frames than those of the allowed hosts.
  if (request.allowedDomains !== undefined) return undefined
  // The cache keeps no images.
  if (request.formats.some(({ type }) => type === 'rawBase64')) return undefined
  const { acceptLanguage } = localeOf(request)
  return hashOf({ url: urlWithoutFragment(request.url), mobile: request.mobile, acceptLanguage })
}

/**
 * Hashes everything about a request that shapes its document. Other spellings of the same options
 * have the same hash.
 */
export function requestKey(request: ScrapeRequest): string {
  const { url, ...options } = request
  const { formats, includeTags, excludeTags, ...rest } = canonicalOptions(options)
  const shaping = Object.fromEntries(Object.entries(rest).filter(([name]) => !ignoredForCacheKey.has(name)))
  const lists = {
    formats: jsonOfEach(formats),
    includeTags: jsonOfEach(includeTags),
    excludeTags: jsonOfEach(excludeTags),
  }
  // Without an enhanced proxy, documents of requests for it contain a warning with its name.
  return hashOf({
    ...shaping,
    ...lists,
    isEnhanced: asksForEnhancedProxy(request.proxy) && request.proxy,
    // Reads what other requests have stored.
    zeroDataRetention: false,
    url: urlWithoutFragment(url),
  })
}

/** Writes each item as JSON, as the keys of earlier versions have them. */
function jsonOfEach(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(stableJson) : []
}

/** Whether a page may look different to this caller than to others. */
export function isPersonal({ url, actions = [], headers = {}, profile }: ScrapeRequest): boolean {
  const { username, password } = new URL(url)
  return actions.length > 0 || Object.keys(headers).length > 0 || profile !== undefined || username + password !== ''
}

/** Keys of a tracked page, under which its last state is stored. */
export interface TrackingKeys {
  readonly trackingKey: string
  /** Key by which earlier versions stored the page. It depends on the spelling of the options. */
  readonly formerTrackingKey: string
}

/** The default of `parsers`. */
const usualParsers = stableJson(canonicalOptions(scrapeRequest.parse({ url: 'https://example.com/' }))['parsers'])

/**
 * Returns the keys of a tracked page: its URL, its tag, and the options that shape its Markdown.
 */
export function trackingKeys(request: ScrapeRequest, tag: string | null): TrackingKeys {
  const { onlyMainContent, onlyCleanContent, includeComments, includeTags, excludeTags, location } = request
  const { removeBase64Images, mobile, redactPII } = request
  const { parsers } = canonicalOptions(request)
  const isUsual = stableJson(parsers) === usualParsers
  // The fragment counts, because scripts can read it.
  const page = { removeBase64Images, mobile, tag, url: request.url.replace(/#$/, '') }
  const shaping = {
    ...page,
    onlyMainContent,
    onlyCleanContent,
    includeComments,
    parsers: isUsual ? undefined : parsers,
  }
  return {
    // Values that are absent by default are absent here, so that earlier keys stay valid.
    trackingKey: hashOf({
      ...shaping,
      includeTags: canonicalList(includeTags),
      excludeTags: canonicalList(excludeTags),
      location: canonicalLocation(location),
      redaction: canonicalRedaction(redactPII),
    }),
    formerTrackingKey: hashOf({
      ...shaping,
      includeTags,
      excludeTags,
      location: isUnitedStates(location) ? undefined : location,
      redaction: redactionOf(redactPII),
    }),
  }
}

/** Whether earlier versions treated a location as the default one. */
function isUnitedStates(location: ScrapeRequest['location']): boolean {
  return location?.languages === undefined && (location?.country ?? 'us') === 'us'
}

function hashOf(value: object): string {
  return sha256(stableJson(value)).toString('hex')
}
