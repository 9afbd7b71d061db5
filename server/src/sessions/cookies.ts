import { z } from 'zod'
import type { CdpRouter } from '../cdp/router.ts'

/** A cookie as the browser tells and takes it. */
export const browserCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  /** Seconds since the epoch; -1 for cookies of the session. */
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  session: z.boolean(),
  sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
  priority: z.string().optional(),
  sourceScheme: z.string().optional(),
  sourcePort: z.number().optional(),
  partitionKey: z.unknown().optional(),
})

export type BrowserCookie = z.output<typeof browserCookie>

/** All cookies of a browser's default context, those of the session included. */
export async function readCookies(router: CdpRouter): Promise<readonly BrowserCookie[]> {
  const { cookies } = await router.call('Storage.getCookies')
  return z.array(browserCookie).parse(cookies)
}

/** Gives cookies to a browser. */
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
