/**
 * Whether headers that a caller set for one URL may be forwarded to another: same origin, or an
 * upgrade from HTTP to HTTPS on the same host and default ports.
 */
export function mayForwardHeaders(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:'
  return isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === ''
}

/**
 * Returns the headers that may be sent cross-origin: `User-Agent` only, as it carries no
 * credentials.
 */
export function crossOriginHeaders(
  headers: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (headers === undefined) return undefined
  const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'user-agent')
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
