const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Where an answer leads: undefined when it is no redirect, or one to nowhere. `location` is the header as undici gives it,
 * a character for each byte.
 */
export function redirectTarget(status: number, location: string | null | undefined, from: URL): URL | undefined {
  if (!redirects.has(status) || location === null || location === undefined || location === '') return undefined
  return URL.parse(asSent(location), from.href) ?? undefined
}

/** Many a site sends addresses in UTF-8 that it should have escaped. */
function asSent(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}
