import type { RoutePath } from './paths.ts'

/** Paths of a server outside the versions of the API. Probes, pages and files. */
export const serverPaths = {
  liveness: '/livez',
  readiness: '/readyz',
  metrics: '/metrics',
  liveView: '/live/{id}',
  monitorMail: '/monitor/email/{purpose}',
  /** Confirms or unsubscribes an email address with the token of an email, without a key. */
  monitorMailApi: '/v2/monitor/email/{purpose}',
  scrapeFile: '/files/scrape/{id}/{name}',
} as const

/** Paths of WebSockets. */
export const socketPaths = {
  cdp: { path: '/v2/browser/{id}/cdp', aliases: ['/v2/interact/{id}/cdp'] },
  liveView: { path: '/live/{id}/socket' },
  watchBatch: { path: '/v2/batch/scrape/{id}', v1Paths: ['/v1/batch/scrape/{id}'] },
  watchCrawl: { path: '/v2/crawl/{id}', v1Paths: ['/v1/crawl/{id}'] },
} as const satisfies Record<string, Omit<RoutePath, 'method'>>
