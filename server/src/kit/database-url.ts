/** Host and port of a PostgreSQL server. */
export interface DatabaseAddress {
  /** Host name or IP address, without the brackets of IPv6. */
  readonly host: string
  readonly port: number
}

/** Scheme and user, hosts, path, and query of a database URL. */
const urlPattern = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(.*)$/

/** Values of `target_session_attrs` under which only the primary server is used. */
const primaryAttributes: ReadonlySet<string> = new Set(['read-write', 'primary'])

/**
 * Splits a database URL with several hosts (`HOST1:PORT1,HOST2:PORT2`, or `?host=HOST1,HOST2`) into
 * URLs with one host each. Returns `undefined` if it is malformed, or asks for a server that cannot
 * be written to.
 */
export function splitDatabaseUrl(databaseUrl: string): readonly [string, ...string[]] | undefined {
  const [, scheme, hosts = '', path = '', rest = ''] = urlPattern.exec(databaseUrl) ?? []
  if (scheme === undefined) return undefined
  const urls = hosts.split(',').flatMap((host) => splitQuery(`${scheme}${host}${path}${rest}`))
  const [first, ...others] = urls
  return first === undefined || urls.length < hosts.split(',').length ? undefined : [first, ...others]
}

/** Splits the query parameter `host`. Returns an empty list if the URL is malformed. */
function splitQuery(text: string): readonly string[] {
  const url = URL.parse(text)
  if (url === null) return []
  const attributes = url.searchParams.get('target_session_attrs')
  if (attributes !== null && !primaryAttributes.has(attributes)) return []
  const hosts = url.searchParams.get('host')?.split(',') ?? []
  // Kept as it was written, as long as nothing of it has to be changed.
  if (attributes === null && hosts.length <= 1) return [text]
  url.searchParams.delete('target_session_attrs')
  if (hosts.length === 0) return [url.href]
  return hosts.map((host) => {
    url.searchParams.set('host', host)
    return url.href
  })
}

/** Returns where a database URL connects to. Empty without a URL that can be parsed. */
export function databaseAddresses(databaseUrl: string | undefined): readonly DatabaseAddress[] {
  const urls = databaseUrl === undefined ? [] : (splitDatabaseUrl(databaseUrl) ?? [])
  return urls.map((each) => {
    const { hostname, port } = new URL(each)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    return { host: host === '' ? 'localhost' : host, port: Number(port || 5432) }
  })
}
