/** Maximum length of the `Cookie` header. Most servers accept 8 kB of headers. */
const maxHeaderLength = 4096

/**
 * Cookies of one scrape, by exact host. Enough for sites that set a cookie before they show their
 * page.
 */
export class CookieJar {
  readonly #hosts = new Map<string, Map<string, string>>()

  /** Stores the `Set-Cookie` headers of a response. */
  store(url: URL, headers: readonly string[]): void {
    for (const header of headers) {
      const [pair = ''] = header.split(';', 1)
      const split = pair.indexOf('=')
      if (split < 1) continue
      const cookies = this.#hosts.get(url.hostname) ?? new Map<string, string>()
      cookies.set(pair.slice(0, split).trim(), pair.slice(split + 1).trim())
      this.#hosts.set(url.hostname, cookies)
    }
  }

  /** Returns the `Cookie` header for a URL, or undefined if there are no cookies. */
  headerFor(url: URL): string | undefined {
    const cookies = this.#hosts.get(url.hostname)
    if (cookies === undefined) return undefined
    let header = ''
    for (const [name, value] of cookies) {
      const next = `${header === '' ? '' : '; '}${name}=${value}`
      // Skip a cookie that does not fit, and go on with smaller ones.
      if (header.length + next.length <= maxHeaderLength) header += next
    }
    return header === '' ? undefined : header
  }
}
