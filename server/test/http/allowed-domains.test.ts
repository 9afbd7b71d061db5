import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startModel, type Model } from '../../../test/lab/language-model.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const secret = 'Secret of another host'

describe('`allowedDomains` of a request', () => {
  const undo = new AsyncDisposableStack()
  let lab: Lab
  let model: Model
  let site: Site
  beforeAll(async () => {
    site = undo.use(
      await startSite({
        '/': ({ response, crossOrigin }) => {
          response.setHeader('content-type', 'text/html')
          response.end(`<a href="/own">Own</a><a href="${crossOrigin}/secret">Other</a>`)
        },
        '/own': fixedPage('Own', '<p>Own page</p>'),
        '/framed': (exchange) =>
          fixedPage('Framed', `<p>Around</p><iframe src="${exchange.crossOrigin}/secret"></iframe>`)(exchange),
        '/secret': fixedPage('Secret', `<h1>${secret}</h1>`),
      }),
    )
    model = undo.use(await startModel(() => '{"boat":1}'))
    lab = undo.use(await startLab({ llmUrl: model.url }))
  })
  afterAll(async () => undo.disposeAsync())

  let seenBefore = 0
  beforeEach(() => (seenBefore = site.requests.all.length))

  /** Paths that were requested from the host that is not allowed. */
  const requestedElsewhere = (): readonly string[] =>
    site.requests.all
      .slice(seenBefore)
      .filter(({ headers }) => headers.host?.startsWith('localhost') === true)
      .map(({ path }) => path)
  const allowed = { allowedDomains: ['127.0.0.1'] }
  const redirect = (): string => site.url(`/redirect?to=${encodeURIComponent(site.crossUrl('/secret'))}`)

  test.each([
    ['the page', () => site.crossUrl('/secret'), {}],
    ['a redirect', redirect, {}],
    ['a redirect of a rendered page', redirect, { waitFor: 1 }],
  ])('refuses other hosts for %s, without a request', async (_name, url, options) => {
    const { status, body } = await lab.api('POST', '/v2/scrape', { url: url(), maxAge: 0, ...options, ...allowed })

    expect([status, body['code']]).toEqual([403, 'EGRESS_REFUSED'])
    expect(requestedElsewhere()).toEqual([])
  })

  test('leaves frames of other hosts empty, also if the page is cached with them', async () => {
    const page = { url: site.url('/framed'), waitFor: 1, formats: ['rawHtml'] }
    const open = await lab.api('POST', '/v2/scrape', page)
    const restricted = await lab.api('POST', '/v2/scrape', { ...page, ...allowed })
    const again = await lab.api('POST', '/v2/scrape', page)

    expect(open.body['data'].rawHtml).toContain(secret)
    expect(restricted.body['data'].rawHtml).toContain('Around')
    expect(restricted.body['data'].rawHtml).not.toContain(secret)
    expect(again.body['data'].rawHtml).toContain(secret)
  })

  test('keeps a crawl from the other hosts that its pages link to', async () => {
    const crawl = { url: site.url('/'), allowExternalLinks: true, scrapeOptions: { maxAge: 0, ...allowed } }
    const { id } = (await lab.api('POST', '/v2/crawl', crawl)).body
    let body: Record<string, unknown>
    do {
      await sleep(50)
      body = (await lab.api('GET', `/v2/crawl/${id}`)).body
    } while (body['status'] === 'scraping')

    expect(body).toMatchObject({ status: 'completed', completed: 2 })
    expect(requestedElsewhere()).toEqual([])
  })

  test('keeps an extraction from redirects, also of folders', async () => {
    const urls = [redirect(), `${site.url('/redirect/')}*`, site.url('/own')]
    const extraction = { urls, prompt: 'Which boat?', scrapeOptions: allowed }
    const { id } = (await lab.api('POST', '/v2/extract', extraction)).body
    let body: Record<string, unknown>
    do {
      await sleep(50)
      body = (await lab.api('GET', `/v2/extract/${id}`)).body
    } while (body['status'] === 'processing')

    expect(body).toMatchObject({ status: 'completed', data: { boat: 1 } })
    expect(JSON.stringify(model.questions)).not.toContain(secret)
    expect(requestedElsewhere()).toEqual([])
  })

  test('applies to the tabs of the session that continues a scrape', async () => {
    const page = { url: site.url('/own'), maxAge: 0, ...allowed }
    const { scrapeId } = (await lab.api('POST', '/v2/scrape', page)).body['data'].metadata
    const path = `/v2/scrape/${scrapeId}/interact`

    const { body } = await lab.api('POST', path, { code: `await page.goto('${site.crossUrl('/secret')}')` })
    await lab.api('DELETE', path)

    expect(body['error']).toContain('ERR_BLOCKED_BY')
    expect(requestedElsewhere()).toEqual([])
  })

  test.each([
    ['/v2/scrape', ['https://example.com/path']],
    ['/v2/map', []],
  ])('is validated by %s: %j', async (path, allowedDomains) => {
    expect(await lab.api('POST', path, { url: site.url('/'), allowedDomains })).toMatchObject({ status: 400 })
  })
})
