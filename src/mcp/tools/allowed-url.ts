import { BowlineError } from '../../kit/errors.ts'
import { createDomainFilter } from '../../kit/domain-pattern.ts'

/**
 * Throws EGRESS_REFUSED for a URL whose host is not allowed, and BAD_REQUEST for one that is not
 * http: or https:.
 */
export function assertAllowedUrl(text: string, allowedDomains: readonly string[] | undefined): void {
  const url = URL.parse(text)
  if (url?.href === 'about:blank') return
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new BowlineError('BAD_REQUEST', `${JSON.stringify(text)} is not an http: or https: URL`, {
      hint: 'Pass a full URL.',
    })
  }
  if (createDomainFilter(allowedDomains)?.(url) !== false) return
  throw new BowlineError('EGRESS_REFUSED', `The host ${url.hostname} is not allowed`, {
    hint: `Allowed hosts: ${allowedDomains?.join(', ')}.`,
  })
}

/** Adds `https://` to a URL without a scheme. In `example.com:8080`, the number is a port. */
export function withScheme(text: string): string {
  return /^[a-z][a-z\d+.-]*:(?!\d)/i.test(text) ? text : `https://${text}`
}
