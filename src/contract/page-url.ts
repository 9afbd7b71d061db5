import { z } from 'zod'

/**
 * Schema of the URL of a page. The default scheme is `http://`; only http and https are allowed.
 */
export const pageUrl = z
  .string()
  .trim()
  .max(8000)
  .transform((text, context) => {
    const hasScheme = /^[a-z][\w+.-]*:\/\//i.test(text)
    const url = URL.parse(hasScheme ? text : `http://${text}`)
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    }
    if (url === null) return refuse('Invalid URL')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('URL uses unsupported protocol')
    // `mailto:ada@example.com` would be parsed as a host with credentials.
    if (!hasScheme && url.username !== '') {
      return refuse(/^[a-z][\w+-]*:/i.test(text) ? 'URL uses unsupported protocol' : 'Invalid URL')
    }
    // IPv6 addresses are in brackets.
    if (!/[.[]/.test(url.hostname) && url.hostname !== 'localhost') {
      return refuse('URL must have a valid top-level domain or be an IP address')
    }
    return url.href
  })

/**
 * Returns the `sourceURL` of a page: the URL as the caller sent it, so that documents can be
 * matched with requests. A URL with characters that databases cannot store is returned in canonical
 * form.
 */
export function sourceUrl(given: unknown, canonical: string): string {
  if (typeof given !== 'string' || !given.isWellFormed() || /\p{Cc}/u.test(given)) return canonical
  return given
}

/** Returns the `sourceURL` of a page from the body of its request. */
export function sentUrl(body: unknown, canonical: string): string {
  return sourceUrl(typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined, canonical)
}
