import { z } from 'zod'

/** A whole number, given as one or as text in digits. */
export function wholeNumber(min: number, max: number) {
  return z.union([z.number(), z.string().trim().regex(/^\d+$/).transform(Number)]).pipe(z.int().min(min).max(max))
}

/** Texts, or one text with commas between them. */
export const list = z.union([
  z.array(z.string()),
  z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
])

/** A web address, without trailing slash. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'an http: or https: URL' })
  .transform((url) => url.replace(/\/+$/, ''))

/** The address of a proxy. */
export const proxyUrl = z.url({ protocol: /^(https?|socks[45])$/, hostname: /./ })

/** One setting: how it is named on the command line and in the environment, what it means, what it accepts. */
export interface Setting {
  readonly flag: string
  readonly env: string
  readonly help: string
  readonly accepts: string
  readonly schema: z.ZodType
}
