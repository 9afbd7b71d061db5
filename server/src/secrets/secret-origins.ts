import { getPublicSuffix } from 'tough-cookie'
import { parseOriginPattern } from 'bowline/contract/session-emulation'
import { matchesDomain, parseDomainPattern } from 'bowline/kit/domain-pattern'

/** Returns an origin without a slash at its end, a default port and capital letters. */
export function normalizeOrigin(origin: string): string {
  return URL.parse(origin)?.origin ?? origin
}

/** Whether a secret with these origins may be typed into a document of an origin. */
export function allowsOrigin(origins: readonly string[], origin: string): boolean {
  const url = URL.parse(origin)
  if (url === null) return false
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  return origins.some((allowed) => {
    const { protocol, domain = '' } = parseOriginPattern(allowed) ?? {}
    const pattern = parseDomainPattern(domain)
    return url.protocol === protocol && pattern !== undefined && matchesDomain(pattern, { host: url.hostname, port })
  })
}

/**
 * Whether an origin has a wildcard for hosts of different owners, such as `https://*.co.uk` and
 * `https://*.github.io`.
 */
export function coversManyOwners(origin: string): boolean {
  const pattern = parseDomainPattern(parseOriginPattern(origin)?.domain ?? '')
  if (pattern?.isWildcard !== true) return false
  const options = { allowSpecialUseDomain: true, ignoreError: true }
  return !pattern.host.includes('.') || getPublicSuffix(pattern.host, options) === undefined
}
