/**
 * Resolves a URL of the server against the dashboard's origin, which may differ from its public
 * URL.
 */
export function onThisServer(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  return `${pathname}${search}`
}
