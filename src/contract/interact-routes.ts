import { deleteSessionResponse } from './browser.ts'
import { interactRequest, interactResponse } from './interact.ts'
import { paths } from './paths.ts'
import { bodyBytes, type Route } from './route.ts'
import { scrapeParams } from './scrape.ts'

/** Routes that continue scrapes in sessions. */
export const interactRoutes = {
  interact: {
    ...paths.interact,
    tag: 'Scrape',
    rateLimit: 'scrape',
    hasLargeResponse: true,
    activity: { endpoint: 'interact', target: 'session' },
    summary: 'Run code or a prompt in a session that continues a scrape, which its first call repeats',
    params: scrapeParams,
    body: interactRequest,
    maxBodyBytes: bodyBytes.options,
    response: interactResponse,
  },
  stopInteraction: {
    ...paths.stopInteraction,
    tag: 'Scrape',
    rateLimit: 'browserUse',
    summary: 'Delete the session of a scrape and return its bill',
    params: scrapeParams,
    response: deleteSessionResponse,
  },
} as const satisfies Record<string, Route>
