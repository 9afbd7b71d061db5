/**
 * Whether headers that a caller set for one URL may be forwarded to another: same origin, or an
 * upgrade from HTTP to HTTPS on the same host and default ports.
 */
export function mayForwardHeaders(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:'
  return isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === ''
}

/** Headers that every site gets from a browser, and that carry no credentials. */
const browserHeaders: ReadonlySet<string> = new Set(['user-agent', 'accept-language'])

/** Whether a header of a caller is sent cross-origin: only `User-Agent` and `Accept-Language`. */
export function isSentCrossOrigin(name: string): boolean {
  return browserHeaders.has(name.toLowerCase())
}

/** Returns the headers that may be sent cross-origin. */
export function crossOriginHeaders(
  headers: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (headers === undefined) return undefined
  const kept = Object.entries(headers).filter(([name]) => isSentCrossOrigin(name))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** Returns the value of the last header with this name, which is sent. Ignores an empty one. */
export function callerHeader(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  const value = Object.entries(headers).findLast(([name]) => name.toLowerCase() === wanted)?.[1]
  return value === '' ? undefined : value
}
