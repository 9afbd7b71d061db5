import { z } from 'zod'
import { parseDomainPattern } from '../kit/domain-pattern.ts'
import { boundedArray } from './bounded.ts'

/** Maximum number of entries of a list of domains. */
export const maxDomains = 200

/** Pattern of hosts: `example.com` or `*.example.com`, with an optional port. */
export const allowedDomain = z
  .string()
  .max(260)
  .refine((text) => parseDomainPattern(text) !== undefined, {
    error:
      'must be a host name or an IP address with an optional `:port`, or `*.` and a name: example.com, *.example.com',
  })

/** List of patterns of hosts. */
export const domains = boundedArray(allowedDomain, maxDomains, 1)

/**
 * Hosts to which a session may connect. `example.com` is that host, `*.example.com` are its
 * subdomains at any depth. An array applies to all requests. An object separates the pages of tabs
 * (`navigation`) from everything that pages load, frames included (`subresources`). The hosts of
 * `navigation` may be loaded by pages too. Without `subresources`, pages may load from any host.
 */
export const allowedDomains = z.union([
  domains,
  z.strictObject({ navigation: domains, subresources: domains.optional() }),
])

/**
 * Hosts to which a session may not connect, also if `allowedDomains` has them. An array applies to
 * all requests. With `{ navigation }`, tabs may not open the hosts, but pages may load from them.
 */
export const blockedDomains = z.union([domains, z.strictObject({ navigation: domains })])

const proxySchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:'])

/** Proxy through which a session connects to public addresses. */
export const sessionProxy = z.strictObject({
  /**
   * `http://`, `https://` or `socks5://` and the host, with an optional port. Defaults: 80, 443 and
   * 1080.
   */
  server: z
    .string()
    .max(300)
    .refine((text) => isProxyServer(text), {
      error: 'must be http://, https:// or socks5:// and a host with an optional port, without path and credentials',
    }),
  username: z.string().max(255).optional(),
  password: z.string().max(255).optional(),
})

function isProxyServer(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    proxySchemes.has(url.protocol) &&
    url.hostname !== '' &&
    url.username === '' &&
    url.password === '' &&
    ['', '/'].includes(url.pathname) &&
    url.search === '' &&
    url.hash === ''
  )
}

/** Options of a session that decide where it connects to. */
export interface SessionNetwork {
  readonly allowedDomains?: AllowedDomains | undefined
  readonly blockedDomains?: BlockedDomains | undefined
  readonly proxy?: SessionProxy | undefined
}

export type AllowedDomains = z.output<typeof allowedDomains>
export type BlockedDomains = z.output<typeof blockedDomains>
export type SessionProxy = z.output<typeof sessionProxy>
