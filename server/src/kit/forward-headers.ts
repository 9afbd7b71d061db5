/** Whether headers that a caller gave for one address may be sent to another: the same origin, or the same host over HTTPS instead of HTTP. */
export function mayForwardHeaders(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:'
  return isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === ''
}

/** The headers that other sites may see: a user agent tells them nothing about the caller. */
export function crossOriginHeaders(
  headers: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (headers === undefined) return undefined
  const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'user-agent')
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
