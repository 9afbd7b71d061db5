/** Host and port of a PostgreSQL server. */
export interface DatabaseAddress {
  /** Host name or IP address, without the brackets of IPv6. */
  readonly host: string
  readonly port: number
}

/** Returns where a database URL connects to. `undefined` without a URL that can be parsed. */
export function databaseAddress(databaseUrl: string | undefined): DatabaseAddress | undefined {
  if (databaseUrl === undefined || !URL.canParse(databaseUrl)) return undefined
  const { hostname, port } = new URL(databaseUrl)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host: host === '' ? 'localhost' : host, port: Number(port || 5432) }
}
