/** Characters of the cookies that a request carries: most servers accept 8 kB of headers. */
const maxHeaderLength = 4096

/** The cookies of one scrape, by host: enough for sites that ask for one before they show their page. */
export class CookieJar {
  readonly #hosts = new Map<string, Map<string, string>>()

  /** Takes the `Set-Cookie` headers of an answer. */
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

  /** The `Cookie` header for an address; undefined when there is nothing to send. */
  headerFor(url: URL): string | undefined {
    const cookies = this.#hosts.get(url.hostname)
    if (cookies === undefined) return undefined
    let header = ''
    for (const [name, value] of cookies) {
      const next = `${header === '' ? '' : '; '}${name}=${value}`
      // Large cookies do not keep small ones after them from being sent.
      if (header.length + next.length <= maxHeaderLength) header += next
    }
    return header === '' ? undefined : header
  }
}
