import { z } from 'zod'

/**
 * Requests per minute and team by kind, on the smallest plan of the public service. `x10`
 * multiplies them by ten.
 */
export const rateBuckets = {
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
export type RateBucket = keyof typeof rateBuckets

/** Requests per minute by kind. An absent kind has no limit. */
export type RateLimits = { readonly [Bucket in RateBucket]?: number }

const bucketNames = Object.keys(rateBuckets) as readonly RateBucket[]

/**
 * Parses `off`, or comma-separated terms such as `x10`, `scrape=100` and `map=off`. Later terms
 * take precedence. Returns undefined for invalid text.
 */
export function parseRateLimits(text: string): RateLimits | undefined {
  const limits: { [Bucket in RateBucket]?: number } = {}
  for (const term of text.split(',').map((each) => each.trim())) {
    const times = /^x(\d{1,6})$/.exec(term)?.[1]
    const [, name = '', count = ''] = /^(\w+)=(\d{1,9}|off)$/.exec(term) ?? []
    if (times !== undefined) for (const bucket of bucketNames) limits[bucket] = rateBuckets[bucket] * Number(times)
    else if (term === 'off') for (const bucket of bucketNames) delete limits[bucket]
    else if (!isBucket(name)) return undefined
    else if (count === 'off') delete limits[name]
    else limits[name] = Number(count)
  }
  return limits
}

function isBucket(name: string): name is RateBucket {
  return Object.hasOwn(rateBuckets, name)
}

/** Description of the syntax of rate limits, for messages. */
export const rateLimitForm = `"off", "x10" for ten times the base limits, or comma-separated terms such as scrape=100 and map=off; kinds: ${bucketNames.join(', ')}`

/** Schema of text for `parseRateLimits`. */
export const rateLimitText = z
  .string()
  .refine((text) => parseRateLimits(text) !== undefined, `must be ${rateLimitForm}`)
