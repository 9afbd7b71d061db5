import { z } from 'zod'
import { parseRateLimits, rateLimitForm, type RateLimits } from 'bowline/contract/rate-limits'
import { list, type Setting } from './setting.ts'

/** Settings of prices and rate limits. */
export const teamSettings = {
  prices: {
    flag: 'prices',
    env: 'BOWLINE_PRICES',
    help: 'prices in credits that replace the default prices; the error for an unknown name lists all names',
    accepts: 'comma-separated name=credits pairs, such as page=2,browserHour=60',
    schema: list.pipe(z.array(z.string().regex(/^\w+=\d{1,9}$/))).default([]),
  },
  rateLimits: {
    flag: 'rate-limits',
    env: 'BOWLINE_RATE_LIMITS',
    help: 'requests per minute of each team without its own rate limits',
    accepts: rateLimitForm,
    schema: z
      .string()
      .transform(parseRateLimits)
      .pipe(z.custom<RateLimits>((limits) => limits !== undefined))
      .default({}),
  },
} as const satisfies Record<string, Setting>
