const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Returns the target of a redirect, or `undefined` if the response is not a redirect or its target
 * is not a valid URL. `location` is the header as undici returns it, one character per byte.
 */
export function redirectTarget(status: number, location: string | null | undefined, from: URL): URL | undefined {
  if (!redirects.has(status) || location === null || location === undefined || location === '') return undefined
  return URL.parse(decodeUtf8(location), from.href) ?? undefined
}

/** Some sites send raw UTF-8 where RFC 9110 requires percent-encoding. */
function decodeUtf8(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    // Not UTF-8: the bytes stay as they are.
    return bytes
  }
}
