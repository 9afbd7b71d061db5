import { z } from 'zod'

/** The address of a page as callers write it: without a scheme it gets `http://`; only http and https are taken. */
export const pageUrl = z
  .string()
  .trim()
  .min(1)
  .max(8000)
  .transform((text, context) => {
    const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`)
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    }
    if (url === null) return refuse('Invalid URL')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('URL uses unsupported protocol')
    // IPv6 addresses stand in brackets.
    if (!/[.[]/.test(url.hostname) && url.hostname !== 'localhost') {
      return refuse('URL must have a valid top-level domain or be an IP address')
    }
    return url.href
  })

/**
 * The address to show as the source of a page: as the caller wrote it, so that documents can be matched with requests.
 * Text that no store keeps is shown in its canonical form.
 */
export function sourceUrl(given: unknown, canonical: string): string {
  if (typeof given !== 'string' || !given.isWellFormed() || /\p{Cc}/u.test(given)) return canonical
  return given
}

/** The source of a page from the body of its request, as it was sent. */
export function sentUrl(body: unknown, canonical: string): string {
  return sourceUrl(typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined, canonical)
}
