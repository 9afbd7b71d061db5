import { z } from 'zod'
import { parseRateLimits, rateLimitForm, type RateLimits } from 'bowline/contract/rate-limits'
import { list, type Setting } from './setting.ts'

/** What teams pay, and how much they may ask for. */
export const teamSettings = {
  prices: {
    flag: 'prices',
    env: 'BOWLINE_PRICES',
    help: 'prices in credits that differ from the usual ones; a wrong name is answered with the right ones',
    accepts: 'name=credits, separated by commas, such as page=2,browserHour=60',
    schema: list.pipe(z.array(z.string().regex(/^\w+=\d{1,9}$/))).default([]),
  },
  rateLimits: {
    flag: 'rate-limits',
    env: 'BOWLINE_RATE_LIMITS',
    help: 'requests a minute that each team may make, unless it has limits of its own',
    accepts: rateLimitForm,
    schema: z
      .string()
      .transform(parseRateLimits)
      .pipe(z.custom<RateLimits>((limits) => limits !== undefined))
      .default({}),
  },
} as const satisfies Record<string, Setting>
