import { z } from 'zod'
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpRouter } from '../cdp/router.ts'

/** A cookie of `Storage.getCookies` and `Storage.setCookies`. */
export const browserCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  /** Seconds since the epoch; -1 for session cookies. */
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  session: z.boolean(),
  sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
  priority: z.custom<Protocol.Network.CookiePriority>(isString).optional(),
  sourceScheme: z.custom<Protocol.Network.CookieSourceScheme>(isString).optional(),
  sourcePort: z.number().optional(),
  partitionKey: z.custom<Protocol.Network.CookiePartitionKey>().optional(),
})

export type BrowserCookie = z.output<typeof browserCookie>

/** Reads all cookies of a browser's default context, including session cookies. */
export async function readCookies(router: CdpRouter): Promise<readonly BrowserCookie[]> {
  const { cookies } = await router.call('Storage.getCookies')
  return z.array(browserCookie).parse(cookies)
}

/** Sets cookies in a browser. */
export async function writeCookies(router: CdpRouter, cookies: readonly BrowserCookie[]): Promise<void> {
  if (cookies.length === 0) return
  await router.call('Storage.setCookies', { cookies: cookies.map(toParameter) })
}

function toParameter({ session, expires, ...cookie }: BrowserCookie) {
  return {
    ...cookie,
    ...(session || expires < 0 ? {} : { expires }),
  }
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}
