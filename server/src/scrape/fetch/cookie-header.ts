/**
 * Removes cookies from a `Cookie` header. Returns it as it was written if it has none of them, and
 * undefined if nothing is left.
 */
export function withoutCookies(header: string | undefined, names: ReadonlySet<string>): string | undefined {
  const pairs = (header ?? '').split(';')
  const kept = pairs.filter((pair) => !names.has(cookieNameOf(pair)))
  const left = kept.length === pairs.length ? header : kept.map((pair) => pair.trim()).join('; ')
  return left === '' ? undefined : left
}

/** Returns the name of a cookie in a `Cookie` header. */
export function cookieNameOf(pair: string): string {
  return pair.split('=', 1)[0]?.trim() ?? ''
}
