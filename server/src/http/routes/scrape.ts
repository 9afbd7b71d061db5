import { serverPaths } from 'bowline/contract/server-paths'
import { fastifyPath } from '../register-route.ts'
import type { FastifyInstance } from 'fastify'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { sentUrl } from 'bowline/contract/page-url'
import { v1Scrape } from '../../compat/v1-scrape.ts'
import { withBaseUrl, readScrapeFile } from '../../scrape/document/scrape-files.ts'
import type { BilledScrapes } from '../../scrape/billed-scrapes.ts'
import type { ScrapeOutcome } from '../../scrape/priced-scrape.ts'
import type { Scrapes } from '../../scrape/scrapes.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import type { Store } from '../../store/store.ts'
import { abortOnDisconnect } from '../disconnect-signal.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the scrape routes. */
export interface ScrapeRouteDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly scrapes: Scrapes
  readonly billedScrapes: BilledScrapes
}

/** Routes of scrapes. */
export function scrapeHandlers({ scrapes, billedScrapes }: ScrapeRouteDeps): Handlers {
  const scrape = async (request: ScrapeRequest, { key, baseUrl, raw, sentBody }: Call): Promise<ScrapeOutcome> => {
    using caller = abortOnDisconnect(raw)
    const who = { teamId: key.teamId, apiKeyId: key.id, baseUrl, signal: caller.signal }
    // Awaited, because `using` disposes the signal when this function returns.
    return await billedScrapes.scrape({ ...who, request, sourceUrl: sentUrl(sentBody, request.url) })
  }

  return {
    scrape: async ({ body }, call) => ({ success: true, data: (await scrape(body, call)).document }),
    v1Scrape: async ({ body }, call) => {
      const { document } = await scrape(v1Scrape.request(body), call)
      return { success: true, data: v1Scrape.response(document, body) }
    },
    getScrape: async ({ params }, { key, baseUrl }) => ({
      success: true,
      data: withBaseUrl(await scrapes.read(params.id, key.teamId), baseUrl),
    }),
  }
}

/** Registers the files of scrapes. They need no key, because the URL contains a token. */
export function registerScrapeFiles(app: FastifyInstance, deps: ScrapeRouteDeps): void {
  const hidden = { schema: { hide: true } as object }
  app.get<{ Params: { id: string; name: string }; Querystring: { token?: string } }>(
    fastifyPath(serverPaths.scrapeFile),
    hidden,
    async (request, reply) => {
      const { type, contents } = await readScrapeFile(deps, { ...request.params, token: request.query.token ?? '' })
      // Content of foreign pages must not run under this origin.
      return reply
        .headers({ 'content-type': type, 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' })
        .header('cache-control', 'private, max-age=3600')
        .send(contents)
    },
  )
}
