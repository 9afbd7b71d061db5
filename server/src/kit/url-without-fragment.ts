/**
 * Removes the fragment of a URL, unless it is a route of a single-page application (`#/users`,
 * `#!/users`).
 */
export function urlWithoutFragment(address: string): string {
  const url = URL.parse(address)
  if (url === null) return address
  if (!/^#!?\//.test(url.hash)) url.hash = ''
  return url.href
}
