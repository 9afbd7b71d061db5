import type { ServerOptions } from '../../src/index.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import type { Pages } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { scrapePages } from './pages.ts'

/** A server, a site, and functions that scrape the site. */
export interface ScrapeFixture extends AsyncDisposable {
  readonly lab: Lab
  readonly site: Site
  /** Scrapes a path of the site. Uses stored pages only if `maxAge` is set. */
  readonly scrape: (path: string, options?: Readonly<Record<string, unknown>>) => Promise<Answer>
  /** Like `scrape`, but fails the test if the scrape fails. */
  readonly read: (path: string, options?: Readonly<Record<string, unknown>>) => Promise<Answer['body']>
}

/** Starts a server and a site for it. */
export async function startScrapeFixture(options: ServerOptions = {}, pages: Pages = {}): Promise<ScrapeFixture> {
  await using undo = new AsyncDisposableStack()
  const site = undo.use(await startSite({ ...scrapePages, ...pages }))
  const lab = undo.use(await startLab({ ...options }))
  const owned = undo.move()
  const scrape: ScrapeFixture['scrape'] = async (path, options = {}) =>
    lab.api('POST', '/v2/scrape', { maxAge: 0, url: site.url(path), ...options })
  return {
    lab,
    site,
    scrape,
    read: async (path, options) => {
      const { body } = await scrape(path, options)
      if (body['success'] !== true) throw new Error(JSON.stringify(body))
      return body['data'] as Answer['body']
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}
