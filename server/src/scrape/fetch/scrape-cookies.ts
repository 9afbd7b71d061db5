import { CookieJar, domainMatch, type Cookie } from 'tough-cookie'
import { withoutCookies } from './cookie-header.ts'

/** Maximum length of the `Cookie` header. Most servers accept 8 kB of headers. */
const maxHeaderLength = 4096

/** Maximum number of cookies read from one response: as many as Chromium keeps per site. */
const maxCookies = 180

/**
 * Maximum length of a `Set-Cookie` header; Chromium accepts 4096 characters and short attributes.
 * The library takes quadratic time on dates and separators.
 */
const maxCookieLength = 6000

/**
 * Cookies of one scrape, sent according to RFC 6265: only to their host or `Domain`, below their
 * `Path`, over TLS if they are `Secure`, and until they expire. A `Domain` that is a public suffix,
 * or not a parent of the host, is rejected.
 */
export class ScrapeCookies {
  readonly #jar = new CookieJar()
  /** Names that a site has deleted, by the host or domain of the cookie. */
  readonly #deleted = new Map<string, Set<string>>()

  /** Stores the `Set-Cookie` headers of a response. Invalid ones are ignored, as browsers do. */
  store(url: URL, headers: readonly string[]): void {
    for (const header of headers.filter(({ length }) => length <= maxCookieLength).slice(0, maxCookies)) {
      const cookie = this.#jar.setCookieSync(header, url.href, { ignoreError: true })
      const { domain } = cookie ?? {}
      if (cookie === undefined || domain === undefined || domain === null || cookie.TTL() > 0) continue
      const names = this.#deleted.get(domain) ?? new Set()
      this.#deleted.set(domain, names.add(cookie.key))
    }
  }

  /**
   * Returns the `Cookie` header for a URL, or undefined if there are no cookies. It contains those
   * of the caller's header that no site has set or deleted.
   */
  headerFor(url: URL, callerHeader?: string): string | undefined {
    const cookies = this.#jar.getCookiesSync(url.href)
    const replaced = new Set(cookies.map(({ key }) => key))
    for (const [domain, names] of this.#deleted) {
      if (domainMatch(url.hostname, domain)) for (const name of names) replaced.add(name)
    }
    const headers = [withoutCookies(callerHeader, replaced), this.#storedHeader(cookies)]
    return headers.filter((header) => header !== undefined).join('; ') || undefined
  }

  #storedHeader(cookies: readonly Cookie[]): string | undefined {
    let header = ''
    for (const cookie of cookies) {
      const next = `${header === '' ? '' : '; '}${cookie.cookieString()}`
      // Skip a cookie that does not fit, and continue with smaller ones.
      if (header.length + next.length <= maxHeaderLength) header += next
    }
    return header === '' ? undefined : header
  }
}
