/** A host, or all hosts below a name, optionally on one port. */
export interface DomainPattern {
  /** Normalized: lower case, without a trailing dot; IPv6 without brackets. */
  readonly host: string
  /** Whether it matches the subdomains of the host instead of the host itself. */
  readonly isWildcard: boolean
  /** Default: any port. */
  readonly port: number | undefined
}

/**
 * Parses `example.com`, `*.example.com`, `example.com:8443`, `192.0.2.1` or `[2001:db8::1]`. A
 * wildcard matches subdomains at any depth, but not the name itself, as in a Content Security
 * Policy. Undefined if the text has another form, such as a URL.
 */
export function parseDomainPattern(text: string): DomainPattern | undefined {
  const [, wildcard, name = '', digits] =
    /^(\*\.)?(\[[\da-fA-F:.]+\]|[^\s*:/?#@[\]\\%]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = normalizeHost(name)
  if (host === undefined) return undefined
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined
  if (wildcard !== undefined && isAddress(host)) return undefined
  return { host, isWildcard: wildcard !== undefined, port }
}

/** Whether a pattern matches a host, in any spelling, and a port. */
export function matchesDomain(
  pattern: DomainPattern,
  target: { readonly host: string; readonly port: number },
): boolean {
  if (pattern.port !== undefined && pattern.port !== target.port) return false
  const host = normalizeHost(
    target.host.includes(':') && !target.host.startsWith('[') ? `[${target.host}]` : target.host,
  )
  if (host === undefined) return false
  return pattern.isWildcard ? host.endsWith(`.${pattern.host}`) : host === pattern.host
}

/** Decides by the host and port of an http: or https: URL whether a list of patterns has it. */
export type DomainFilter = (url: URL) => boolean

/** Creates the filter of a list. Undefined if there is none, so that all hosts are allowed. */
export function createDomainFilter(domains: readonly string[] | undefined): DomainFilter | undefined {
  if (domains === undefined) return undefined
  const patterns = domains.map((text) => parseDomainPattern(text)).filter((pattern) => pattern !== undefined)
  // A site can have 100,000 links, most of them to the same hosts.
  const known = new Map<string, boolean>()
  return ({ origin, hostname, port, protocol }) => {
    const target = { host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
    const isAllowed = known.get(origin) ?? patterns.some((pattern) => matchesDomain(pattern, target))
    known.set(origin, isAllowed)
    return isAllowed
  }
}

/** Normalizes a host as browsers do: IDNA, case, spellings of IP addresses, trailing dot. */
function normalizeHost(text: string): string | undefined {
  const url = URL.parse(`http://${text}`)
  if (url === null || url.hostname === '' || url.pathname !== '/' || url.username !== '') return undefined
  return url.hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1') || undefined
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^[\d.]+$/.test(host)
}
