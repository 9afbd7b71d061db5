import { createHash } from 'node:crypto'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { isEnhancedProxy } from '../load/load-with-proxy.ts'
import { placeOf } from '../fetch/page-locale.ts'

/** Options that say how and when to answer, not what. */
const ignoredForCacheKey: ReadonlySet<string> = new Set([
  'maxAge',
  'minAge',
  'storeInCache',
  'lockdown',
  'timeout',
  'origin',
  'integration',
  'redactPII',
  'threatProtection',
  'auditMetadata',
  'useMock',
  'domainTools',
  'toolDetail',
  'proxy',
])

/** Identifies a page by what its site is told about the reader. Undefined: it belongs to nobody else. */
export function pageKeyOf(request: ScrapeRequest): string | undefined {
  if (isPersonal(request) || request.zeroDataRetention) return undefined
  const { acceptLanguage } = placeOf(request)
  return hashOf({ url: addressOf(request.url), mobile: request.mobile, acceptLanguage })
}

/** Identifies everything about a request that shapes its answer. The order of formats and selectors does not. */
export function answerKeyOf(request: ScrapeRequest): string {
  const { formats, includeTags, excludeTags, ...rest } = request
  const shaping = Object.fromEntries(Object.entries(rest).filter(([name]) => !ignoredForCacheKey.has(name)))
  const lists = { formats: inOrder(formats), includeTags: inOrder(includeTags), excludeTags: inOrder(excludeTags) }
  // Where there is no enhanced proxy, the answer to whoever asked for it says so.
  return hashOf({ ...shaping, ...lists, isEnhanced: isEnhancedProxy(request.proxy), url: addressOf(request.url) })
}

function inOrder(list: readonly unknown[] | undefined): readonly string[] {
  return (list ?? []).map((each) => JSON.stringify(sorted(each))).toSorted()
}

/** Whether a page may look otherwise to its caller than to others. */
export function isPersonal({ url, actions = [], headers = {}, profile }: ScrapeRequest): boolean {
  const { username, password } = new URL(url)
  return actions.length > 0 || Object.keys(headers).length > 0 || profile !== undefined || username + password !== ''
}

/** Tells a page, its tag, and what of its request shapes the Markdown that is compared. */
export function trackingKeyOf(request: ScrapeRequest, tag: string | null): string {
  const { onlyMainContent, onlyCleanContent, includeTags, excludeTags, removeBase64Images, mobile } = request
  const location = isDefaultPlace(request.location) ? undefined : request.location
  const shaping = { onlyMainContent, onlyCleanContent, includeTags, excludeTags, removeBase64Images, mobile, location }
  return hashOf({ ...shaping, tag, url: addressOf(request.url) })
}

/** To name the default country is to say nothing. */
function isDefaultPlace(location: ScrapeRequest['location']): boolean {
  return location?.languages === undefined && (location?.country ?? 'us') === 'us'
}

/** An address without its fragment, but for one that names a view of an application (`#/users`, `#!/users`). */
function addressOf(address: string): string {
  const url = new URL(address)
  if (!/^#!?\//.test(url.hash)) url.hash = ''
  return url.href
}

function hashOf(value: object): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
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
