/** The hosts that belong to one site. */
export interface Site {
  /** Returns whether a URL belongs to the site. */
  readonly includes: (url: URL) => boolean
  /** Adds a host, such as the one that the start page redirected to. */
  readonly addHost: (url: URL) => void
}

/** Options of `createSite`. */
export interface SiteOptions {
  readonly includeSubdomains: boolean
  /** Whether the host of a URL may be part of the site. Default: all. */
  readonly isAllowed?: ((url: URL) => boolean) | undefined
}

/**
 * Creates the site of a start URL: its host with and without `www.`, on the same port, and
 * optionally its subdomains.
 */
export function createSite(start: URL, options: SiteOptions): Site {
  const hosts = new Set([hostOf(start)])
  return {
    includes: (url) => {
      if (options.isAllowed?.(url) === false) return false
      const host = hostOf(url)
      if (hosts.has(host)) return true
      return options.includeSubdomains && [...hosts].some((each) => !isAddress(each) && host.endsWith(`.${each}`))
    },
    addHost: (url) => {
      hosts.add(hostOf(url))
    },
  }
}

/**
 * Returns a function that decides which URLs get the custom headers for a site: those of its hosts,
 * and only over HTTPS if the site was given with HTTPS.
 */
export function headerScope(start: URL, options: { readonly includeSubdomains: boolean }): (url: URL) => boolean {
  const site = createSite(start, options)
  return (url) => site.includes(url) && !(start.protocol === 'https:' && url.protocol === 'http:')
}

// The default port is omitted, so that http and https are one site.
function hostOf(url: URL): string {
  return url.host.replace(/^www\./, '')
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(?:\.\d+){3}(?::\d+)?$/.test(host)
}
