import { createHash } from 'node:crypto'
import type { ScrapeRequest } from '../../contract/scrape.ts'

/** What of a request says how and when to answer, not what. */
const shapeless: ReadonlySet<string> = new Set([
  'maxAge',
  'minAge',
  'storeInCache',
  'lockdown',
  'timeout',
  'origin',
  'integration',
  'proxy',
])

/** Tells a page and everything about a request that shapes its answer. Undefined: its answer belongs to nobody else. */
export const cacheKeyOf = (request: ScrapeRequest): string | undefined => {
  const { formats, zeroDataRetention } = request
  if (isPersonal(request) || zeroDataRetention || formats.some(({ type }) => type === 'changeTracking')) {
    return undefined
  }
  const shaping = Object.fromEntries(Object.entries(request).filter(([name]) => !shapeless.has(name)))
  return hashOf({ ...shaping, url: withoutFragment(request.url) })
}

/** Whether a page may look otherwise to its caller than to others. */
export const isPersonal = ({ url, actions = [], headers = {}, profile }: ScrapeRequest): boolean => {
  const { username, password } = new URL(url)
  return actions.length > 0 || Object.keys(headers).length > 0 || profile !== undefined || username + password !== ''
}

/** Tells a page, its tag, and what of its request shapes the Markdown that is compared. */
export const trackingKeyOf = (request: ScrapeRequest, tag: string | null): string => {
  const { onlyMainContent, onlyCleanContent, includeTags, excludeTags, removeBase64Images, mobile, location } = request
  const shaping = { onlyMainContent, onlyCleanContent, includeTags, excludeTags, removeBase64Images, mobile, location }
  return hashOf({ ...shaping, tag, url: withoutFragment(request.url) })
}

const withoutFragment = (address: string): string => {
  const url = new URL(address)
  url.hash = ''
  return url.href
}

const hashOf = (value: object): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
