import type { StorageState } from 'bowline/contract/profiles'
import type { BrowserCookie } from '../cookies.ts'

type StateCookie = StorageState['cookies'][number]

/**
 * Returns the cookies of an import that a browser does not have. It drops cookies that no site can
 * set, such as those with `sameSite` None that are not secure. Expired cookies are not missing.
 */
export function findMissingCookies(
  wanted: readonly StateCookie[],
  stored: readonly BrowserCookie[],
  nowMs = Date.now(),
): readonly StateCookie[] {
  const known = new Set(stored.map(keyOf))
  const isExpired = ({ expires }: StateCookie): boolean => expires >= 0 && expires * 1000 <= nowMs
  return wanted.filter((cookie) => !isExpired(cookie) && !known.has(keyOf(cookie)))
}

function keyOf({ name, domain, path }: Pick<StateCookie, 'name' | 'domain' | 'path'>): string {
  const host = domain.includes('/') ? undefined : URL.parse(`http://${domain.replace(/^\./, '')}`)?.hostname
  return JSON.stringify([name, host, path])
}

/** Describes missing cookies by the first of them. Returns `undefined` if there are none. */
export function missingCookiesWarning(missing: readonly StateCookie[]): string | undefined {
  const [first] = missing
  if (first === undefined) return undefined
  const example = `${JSON.stringify(first.name)} of ${JSON.stringify(first.domain)}`
  const what = missing.length === 1 ? `the cookie ${example}` : `${missing.length} cookies, such as ${example}`
  return `The browser did not store ${what}. A domain must be a host name, and a cookie with sameSite None must be secure.`
}
