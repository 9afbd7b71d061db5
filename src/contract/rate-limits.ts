import { z } from 'zod'

/**
 * Requests per minute and team by kind, on the smallest plan of the public service. `x10`
 * multiplies them by ten.
 */
export const baseRateLimits = {
  scrape: 10,
  map: 10,
  crawl: 2,
  search: 10,
  extract: 2,
  browser: 2,
  browserUse: 10,
  crawlStatus: 500,
  extractStatus: 500,
  account: 1000,
  replay: 500,
} as const

/** A kind of request with its own rate limit. */
export type RequestKind = keyof typeof baseRateLimits

/** @deprecated Use `baseRateLimits`. */
export const rateBuckets = baseRateLimits

/** @deprecated Use `RequestKind`. */
export type RateBucket = RequestKind

/** Requests per minute by kind. An absent kind has no limit. */
export type RateLimits = { readonly [Kind in RequestKind]?: number }

const requestKinds = Object.keys(baseRateLimits) as readonly RequestKind[]

/**
 * Parses `off`, or comma-separated terms such as `x10`, `scrape=100` and `map=off`. Later terms
 * take precedence. Returns undefined for invalid text.
 */
export function parseRateLimits(text: string): RateLimits | undefined {
  const limits: { [Kind in RequestKind]?: number } = {}
  for (const term of text.split(',').map((each) => each.trim())) {
    const times = /^x(\d{1,6})$/.exec(term)?.[1]
    const [, name = '', count = ''] = /^(\w+)=(\d{1,9}|off)$/.exec(term) ?? []
    if (times !== undefined) for (const kind of requestKinds) limits[kind] = baseRateLimits[kind] * Number(times)
    else if (term === 'off') for (const kind of requestKinds) delete limits[kind]
    else if (!isRequestKind(name)) return undefined
    else if (count === 'off') delete limits[name]
    else limits[name] = Number(count)
  }
  return limits
}

function isRequestKind(name: string): name is RequestKind {
  return Object.hasOwn(baseRateLimits, name)
}

/** Description of the syntax of rate limits, for messages. */
export const rateLimitForm = `"off", "x10" for ten times the base limits, or comma-separated terms such as scrape=100 and map=off; kinds: ${requestKinds.join(', ')}`

/** Schema of text for `parseRateLimits`. */
export const rateLimitText = z
  .string()
  .refine((text) => parseRateLimits(text) !== undefined, `must be ${rateLimitForm}`)
