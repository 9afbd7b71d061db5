import { urlWithoutFragment } from '../../kit/url-without-fragment.ts'
import { redactionOf } from 'bowline/contract/redaction'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { sha256 } from 'bowline/kit/sha256'
import { asksForEnhancedProxy } from '../load/load-with-proxy.ts'
import { localeOf } from '../fetch/page-locale.ts'

/** Options that have no influence on the content of a document. */
const ignoredForCacheKey: ReadonlySet<string> = new Set([
  'maxAge',
  'minAge',
  'storeInCache',
  'lockdown',
  'timeout',
  'origin',
  'integration',
  'threatProtection',
  'auditMetadata',
  'useMock',
  'domainTools',
  'toolDetail',
  'proxy',
])

/**
 * Returns the cache key of a page: everything about a request that its site sees.
 * Undefined if the page must not be shared between scrapes.
 */
export function pageCacheKey(request: ScrapeRequest): string | undefined {
  if (isPersonal(request) || request.zeroDataRetention) return undefined
  // Cached pages can have other frames than those of the allowed hosts.
  if (request.allowedDomains !== undefined) return undefined
  // The cache keeps no images.
  if (request.formats.some(({ type }) => type === 'rawBase64')) return undefined
  const { acceptLanguage } = localeOf(request)
  return hashOf({ url: urlWithoutFragment(request.url), mobile: request.mobile, acceptLanguage })
}

/**
 * Hashes everything about a request that shapes its document. The order of formats and selectors
 * does not matter.
 */
export function requestKey(request: ScrapeRequest): string {
  const { formats, includeTags, excludeTags, ...rest } = request
  const shaping = Object.fromEntries(Object.entries(rest).filter(([name]) => !ignoredForCacheKey.has(name)))
  const lists = {
    formats: sortedJson(formats),
    includeTags: sortedJson(includeTags),
    excludeTags: sortedJson(excludeTags),
  }
  // Without an enhanced proxy, documents of requests for it contain a warning with its name.
  return hashOf({
    ...shaping,
    ...lists,
    isEnhanced: asksForEnhancedProxy(request.proxy) && request.proxy,
    url: urlWithoutFragment(request.url),
  })
}

function sortedJson(list: readonly unknown[] | undefined): readonly string[] {
  return (list ?? []).map((each) => JSON.stringify(sorted(each))).toSorted()
}

/** Whether a page may look different to this caller than to others. */
export function isPersonal({ url, actions = [], headers = {}, profile }: ScrapeRequest): boolean {
  const { username, password } = new URL(url)
  return actions.length > 0 || Object.keys(headers).length > 0 || profile !== undefined || username + password !== ''
}

/** Returns the key of a tracked page: its URL, its tag, and the options that shape its Markdown. */
export function trackingKey(request: ScrapeRequest, tag: string | null): string {
  const { onlyMainContent, onlyCleanContent, includeComments, includeTags, excludeTags } = request
  const { removeBase64Images, mobile } = request
  const location = isDefaultLocation(request.location) ? undefined : request.location
  const selection = { onlyMainContent, onlyCleanContent, includeComments, includeTags, excludeTags }
  // Absent by default, so that the keys of earlier versions stay valid.
  const redaction = redactionOf(request.redactPII)
  const shaping = { ...selection, removeBase64Images, mobile, location, redaction }
  return hashOf({ ...shaping, tag, url: urlWithoutFragment(request.url) })
}

/** Naming the default country is the same as naming none. */
function isDefaultLocation(location: ScrapeRequest['location']): boolean {
  return location?.languages === undefined && (location?.country ?? 'us') === 'us'
}

function hashOf(value: object): string {
  return sha256(JSON.stringify(sorted(value))).toString('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
