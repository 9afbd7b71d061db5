/** The hosts that count as one site. */
export interface Site {
  /** Whether an address belongs to the site. */
  readonly includes: (url: URL) => boolean
  /** Takes a further host in: the one that the start page redirected to. */
  readonly addHost: (url: URL) => void
}

/** Makes the site of a start address: its host with and without `www.`, on the same port, and its subdomains if wanted. */
export function createSite(start: URL, options: { readonly includeSubdomains: boolean }): Site {
  const hosts = new Set([hostOf(start)])
  return {
    includes: (url) => {
      const host = hostOf(url)
      if (hosts.has(host)) return true
      return options.includeSubdomains && [...hosts].some((each) => !isAddress(each) && host.endsWith(`.${each}`))
    },
    addHost: (url) => {
      hosts.add(hostOf(url))
    },
  }
}

/** Tells which addresses get headers that a caller gave for a site: those of its hosts, over HTTPS if the site was given with HTTPS. */
export function headerScope(start: URL, options: { readonly includeSubdomains: boolean }): (url: URL) => boolean {
  const site = createSite(start, options)
  return (url) => site.includes(url) && !(start.protocol === 'https:' && url.protocol === 'http:')
}

// The port stays out where the scheme implies it, so that http and https are one site.
function hostOf(url: URL): string {
  return url.host.replace(/^www\./, '')
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(?:\.\d+){3}(?::\d+)?$/.test(host)
}
