import proxyAddr from '@fastify/proxy-addr'
import { z } from 'zod'

/** Schema of an integer, given as a number or as decimal digits. */
export function wholeNumber(min: number, max: number) {
  return z.union([z.number(), z.string().trim().regex(/^\d+$/).transform(Number)]).pipe(z.int().min(min).max(max))
}

/** Schema of a list of strings, given as an array or as one comma-separated string. */
export const list = z.union([
  z.array(z.string()),
  z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
])

/** Schema of an HTTP URL. Trailing slashes are removed. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'an http: or https: URL' })
  .transform((url) => url.replace(/\/+$/, ''))

/** Schema of the URL of an HTTP or SOCKS proxy. */
export const proxyUrl = z.url({ protocol: /^(https?|socks[45])$/, hostname: /./ })

/** Whether a text is an IP address, a CIDR range or a name of ranges, such as `loopback`. */
export function isProxyAddress(text: string): boolean {
  try {
    proxyAddr.compile(text)
    return true
  } catch {
    // The library throws a TypeError for anything else.
    return false
  }
}

/**
 * A setting of the server: its flag, environment variable, help text, accepted values and schema.
 */
export interface Setting {
  readonly flag: string
  readonly env: string
  readonly help: string
  readonly accepts: string
  readonly schema: z.ZodType
}
