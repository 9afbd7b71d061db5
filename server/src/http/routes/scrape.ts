import { serverRoutes } from 'bowline/contract/server-routes'
import type { FastifyInstance } from 'fastify'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { sentUrl } from 'bowline/contract/page-url'
import { v1Scrape } from '../../compat/v1-scrape.ts'
import { hideLinks } from '../../jobs/page-links.ts'
import { withBaseUrl } from '../../scrape/document/scrape-files.ts'
import type { BilledScrapes } from '../../scrape/billed-scrapes.ts'
import type { ScrapeOutcome } from '../../scrape/priced-scrape.ts'
import type { Scrapes } from '../../scrape/scrapes.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import type { AccessOf } from '../authorize.ts'
import { abortOnDisconnect } from '../disconnect-signal.ts'
import type { Call, Handlers } from '../register.ts'
import { registerServerRoute } from '../register-route.ts'
import { scrapeSession } from '../scrape-session.ts'
import type { SessionNodeDeps } from '../session-node.ts'

/** Dependencies of the scrape routes. */
export interface ScrapeRouteDeps extends SessionNodeDeps {
  readonly scrapes: Scrapes
  readonly billedScrapes: BilledScrapes
}

/** Routes of scrapes. */
export function scrapeHandlers(deps: ScrapeRouteDeps): Handlers {
  const { scrapes, billedScrapes } = deps
  const scrape = async (request: ScrapeRequest, { key, baseUrl, raw, sentBody }: Call): Promise<ScrapeOutcome> => {
    using caller = abortOnDisconnect(raw)
    const who = { teamId: key.teamId, apiKeyId: key.id, baseUrl, signal: caller.signal }
    // Awaited, because `using` disposes the signal when this function returns.
    return await billedScrapes.scrape({ ...who, request, sourceUrl: sentUrl(sentBody, request.url) })
  }

  return {
    scrape: async ({ body }, call) =>
      'sessionId' in body
        ? scrapeSession(deps, body, call)
        : { success: true, data: (await scrape(body, call)).document },
    scrapeSession: async ({ params, body }, call) => scrapeSession(deps, { ...body, sessionId: params.id }, call),
    v1Scrape: async ({ body }, call) => {
      const { document } = await scrape(v1Scrape.request(body), call)
      return { success: true, data: v1Scrape.response(document, body) }
    },
    getScrape: async ({ params }, { key, baseUrl, apiVersion }) => {
      const data = withBaseUrl(hideLinks(await scrapes.read(params.id, key.teamId)), baseUrl)
      return { success: true, data: apiVersion === 'v1' ? v1Scrape.stored(data) : data }
    },
  }
}

/** Registers the files of scrapes. */
export function registerScrapeFiles(
  app: FastifyInstance,
  { blobs, accessOf }: { readonly blobs: Blobs; readonly accessOf: AccessOf },
): void {
  registerServerRoute(app, 'scrapeFile', {
    handler: async (request, reply) => {
      const { type, blobKey } = accessOf(request, serverRoutes.scrapeFile.auth)
      // Content of foreign pages must not run under this origin.
      return reply
        .headers({ 'content-type': type, 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' })
        .header('cache-control', 'private, max-age=3600')
        .send(await blobs.read(blobKey))
    },
  })
}
