import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import type { ServerOptions } from '../../src/index.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { sendHtml, type Pages } from '../../../test/lab/pages/page.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

/** A server, a site, and helpers for batches and crawls. */
export interface JobFixture extends AsyncDisposable {
  readonly lab: Lab
  readonly site: Site
  /** URLs of plain pages of the site. */
  readonly urls: (count: number) => readonly string[]
  /** Starts a job and returns its URL. Throws if that fails. */
  readonly start: (path: string, body: object) => Promise<string>
  /** Waits until a job has ended and returns its status. */
  readonly ended: (url: string) => Promise<Answer['body']>
}

/**
 * Creates pages that are slow, throttled, large or broken, and a function that releases `/held`.
 */
export function makePages(): { readonly pages: Pages; readonly release: () => void } {
  const held = Promise.withResolvers<void>()
  let openAtMs: number | undefined
  let visitors = 0
  const pages: Pages = {
    '/page': (exchange) => {
      const title = `Page ${exchange.url.searchParams.get('n')}`
      sendHtml(exchange, title, `<h1>${title}</h1>`)
    },
    '/busy': (exchange) => {
      openAtMs ??= Date.now() + 1000
      const isOpen = Date.now() >= openAtMs
      if (!isOpen) exchange.response.setHeader('retry-after', '1').statusCode = 429
      sendHtml(exchange, 'Busy', isOpen ? '<h1>Welcome back</h1>' : '<h1>Later</h1>')
    },
    '/counted': async (exchange) => {
      visitors += 1
      const most = visitors
      await sleep(100)
      visitors -= 1
      sendHtml(exchange, 'Counted', `<p>${most} at a time</p>`)
    },
    '/held': async (exchange) => {
      await held.promise
      sendHtml(exchange, 'Held', '<h1>At last</h1>')
    },
    '/big': (exchange) => sendHtml(exchange, 'Big', `<h1>Big</h1><p>${'many words '.repeat(450_000)}</p>`),
    '/broken': ({ response }) => void response.destroy(),
  }
  return { pages, release: held.resolve }
}

/** Starts a server with a store of the given kind, and a site for it. */
export async function startJobFixture(
  storeKind: 'PGlite' | 'PostgreSQL',
  options: ServerOptions = {},
  pages: Pages = makePages().pages,
): Promise<JobFixture> {
  await using undo = new AsyncDisposableStack()
  const site = undo.use(await startSite(pages))
  const database = storeKind === 'PostgreSQL' ? undo.use(await (await sharedPostgres()).createDatabase()) : undefined
  const lab = undo.use(await startLab({ databaseUrl: database?.url, ...options }))
  const owned = undo.move()
  return {
    lab,
    site,
    urls: (count) => Array.from({ length: count }, (_, index) => site.url(`/page?n=${index}`)),
    start: async (path, body) => {
      const answer = await lab.api('POST', path, body)
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body['url'] as string
    },
    ended: async (url) =>
      vi.waitFor(
        async () => {
          const { status, body } = await lab.api('GET', url)
          if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
          if (body['status'] === 'scraping') throw new Error(`still scraping: ${body['completed']} of ${body['total']}`)
          return body
        },
        { timeout: 40_000, interval: 100 },
      ),
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}
