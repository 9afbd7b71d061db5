import { z } from 'zod'
import { action, type Action } from 'bowline/contract/actions'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { domains } from 'bowline/contract/session-network'
import { profile } from 'bowline/contract/session-options'

/** Schema of a stored replay. */
export const scrapeReplay = z.object({
  url: z.string(),
  waitFor: z.int().min(0),
  actions: z.array(action),
  profile: profile.optional(),
  allowedDomains: domains.optional(),
  skipTlsVerification: z.boolean().optional(),
})

/** How a page was loaded and what was done on it, so that a session can repeat it. */
export type ScrapeReplay = z.output<typeof scrapeReplay>

/** Actions that change the page. The others only produce results, and scripts are not repeated. */
const repeated: ReadonlySet<Action['type']> = new Set(['wait', 'click', 'write', 'press', 'scroll'])

/** Returns what a session repeats of a scrape. */
export function replayOf(request: ScrapeRequest): ScrapeReplay {
  const { url, waitFor, actions = [], profile: used, allowedDomains, skipTlsVerification } = request
  return {
    url,
    waitFor,
    actions: actions.filter(({ type }) => repeated.has(type)),
    ...(used === undefined ? {} : { profile: used }),
    ...(allowedDomains === undefined ? {} : { allowedDomains }),
    ...(skipTlsVerification && { skipTlsVerification }),
  }
}
