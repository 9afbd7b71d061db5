/** Maximum length of the `Cookie` header. Most servers accept 8 kB of headers. */
const maxHeaderLength = 4096

/**
 * Cookies of one scrape, by exact host. Enough for sites that set a cookie before they show their
 * page.
 */
export class CookieJar {
  readonly #hosts = new Map<string, Map<string, Cookie>>()

  /** Stores the `Set-Cookie` headers of a response. Removes cookies that have expired. */
  store(url: URL, headers: readonly string[]): void {
    const cookies = this.#hosts.get(url.hostname) ?? new Map<string, Cookie>()
    this.#hosts.set(url.hostname, cookies)
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split(';')
      const [name, value] = splitAtEquals(pair)
      if (name === '' || value === undefined) continue
      const options = new Map(attributes.map(splitAtEquals).map(([key, option]) => [key.toLowerCase(), option]))
      if (isExpired(options)) cookies.delete(name)
      else cookies.set(name, { value, isSecure: options.has('secure') })
    }
  }

  /** Returns the `Cookie` header for a URL, or undefined if there are no cookies. */
  headerFor(url: URL): string | undefined {
    let header = ''
    for (const [name, { value, isSecure }] of this.#hosts.get(url.hostname) ?? []) {
      if (isSecure && url.protocol !== 'https:') continue
      const next = `${header === '' ? '' : '; '}${name}=${value}`
      // Skip a cookie that does not fit, and go on with smaller ones.
      if (header.length + next.length <= maxHeaderLength) header += next
    }
    return header === '' ? undefined : header
  }
}

interface Cookie {
  readonly value: string
  /** Sent over HTTPS only. */
  readonly isSecure: boolean
}

function splitAtEquals(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=')
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

/** Sites delete a cookie by setting it again with a time in the past. `Max-Age` wins. */
function isExpired(options: ReadonlyMap<string, string | undefined>): boolean {
  const maxAge = options.get('max-age') ?? ''
  if (/^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0
  return Date.parse(options.get('expires') ?? '') <= Date.now()
}
