import { z } from 'zod'

/** Requests a minute and team by kind of request, on the smallest plan of the public service; `x10` means ten times that. */
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

/** A kind of request that is limited by itself. */
export type RateBucket = keyof typeof rateBuckets

/** Requests a minute; a kind that is absent has no limit. */
export type RateLimits = { readonly [Bucket in RateBucket]?: number }

const bucketNames = Object.keys(rateBuckets) as readonly RateBucket[]

function isBucket(name: string): name is RateBucket {
  return Object.hasOwn(rateBuckets, name)
}

/** Reads `off`, or parts such as `x10`, `scrape=100` and `map=off`, separated by commas; later parts win. Undefined: it is none of these. */
export function parseRateLimits(text: string): RateLimits | undefined {
  const limits: { [Bucket in RateBucket]?: number } = {}
  for (const part of text.split(',').map((each) => each.trim())) {
    const times = /^x(\d{1,6})$/.exec(part)?.[1]
    const [, name = '', count = ''] = /^(\w+)=(\d{1,9}|off)$/.exec(part) ?? []
    if (times !== undefined) for (const bucket of bucketNames) limits[bucket] = rateBuckets[bucket] * Number(times)
    else if (part === 'off') for (const bucket of bucketNames) delete limits[bucket]
    else if (!isBucket(name)) return undefined
    else if (count === 'off') delete limits[name]
    else limits[name] = Number(count)
  }
  return limits
}

/** What texts of rate limits look like, for messages. */
export const rateLimitForm = `"off", "x10" for ten times the base, or parts such as scrape=100 and map=off, separated by commas; kinds: ${bucketNames.join(', ')}`

/** A text that `parseRateLimits` reads. */
export const rateLimitText = z
  .string()
  .refine((text) => parseRateLimits(text) !== undefined, `It takes ${rateLimitForm}`)
