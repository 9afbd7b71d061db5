import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchRequest } from '../../../src/contract/search.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startModel, type Model } from '../../../test/lab/language-model.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

describe('an option of public clients', () => {
  let undo: AsyncDisposableStack
  let lab: Lab
  let withModel: Lab
  let model: Model
  let site: Site
  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(await startSite())
    lab = undo.use(await startLab())
    model = undo.use(
      await startModel(({ messages }) => {
        const text = messages.map(({ content }) => content).join()
        if (text.includes('Request: everything')) return '{}'
        if (text.includes('Request: vary')) return JSON.stringify({ limit: 100 + model.questions.length })
        return text.includes('Request:')
          ? JSON.stringify({ limit: 3, includePaths: ['^/docs'], sitemap: null })
          : JSON.stringify({ summary: 'All about knots.' })
      }),
    )
    withModel = undo.use(await startLab({ llmUrl: model.url }))
  })
  afterAll(async () => undo.disposeAsync())

  test.each([
    { redactPII: false },
    { threatProtection: { mode: 'off', riskScoreThreshold: 50 } },
    { useMock: 'none', domainTools: true, toolDetail: 'compact' },
    { parsers: ['pdf', 'image'] },
    { parsers: [{ type: 'image' }] },
    { parsers: [{ type: 'pdf', pages: false, pageMarkers: false }] },
  ])('without effect is accepted: %j', async (options) => {
    expect(await lab.api('POST', '/v2/scrape', { url: site.url('/article'), ...options })).toMatchObject({
      status: 200,
    })
  })

  test.each([
    { redactPII: false, threatProtection: { mode: 'off' }, auditMetadata: {}, useMock: 'none' },
    { domainTools: true, toolDetail: 'compact' },
  ])('without effect is accepted by v1: %j', async (options) => {
    const url = site.url('/article')
    const batch = await lab.api('POST', '/v1/batch/scrape', { urls: [url], ...options })

    expect(await lab.api('POST', '/v1/scrape', { url, ...options })).toMatchObject({ status: 200 })
    expect(batch).toMatchObject({ status: 200 })
  })

  test('to redact what rules do not recognize is rejected by both versions', async () => {
    for (const path of ['/v1/scrape', '/v2/scrape']) {
      const options = { url: site.url('/article'), redactPII: { entities: ['EMAIL', 'PERSON'] } }
      const { status, body } = await lab.api('POST', path, options)

      expect([status, body['error']]).toEqual([400, expect.stringContaining('PERSON is not supported')])
    }
  })

  test('of a monitor target is accepted: a single `url`, or search options without effect', async () => {
    const watch = async (target: object) =>
      lab.api('POST', '/v2/monitor', { name: 'a', schedule: { text: 'daily' }, judgeEnabled: false, targets: [target] })
    const url = site.url('/article')
    const search = { type: 'search', queries: ['knots'] }

    expect((await watch({ type: 'scrape', url })).body).toMatchObject({ data: { targets: [{ urls: [url] }] } })
    const read = { depth: 2, alertMode: 'all', recheckAfter: '1d', scrapeOptions: {} }
    expect((await watch({ ...search, ...read })).body).toMatchObject({ data: { targets: [search] } })
    expect((await watch({ type: 'scrape', url, urls: [url] })).status).toBe(400)
  })

  test.each([
    [{ maxAge: 'x' }, '`targets.0.scrapeOptions.maxAge` must be a number'],
    [{ colour: 'red' }, 'Unrecognized key in body: targets.0.scrapeOptions.colour'],
  ])('in the scrape options of a monitor is rejected with its path: %j', async (scrapeOptions, message) => {
    const targets = [{ type: 'scrape', urls: [site.url('/article')], scrapeOptions }]
    const { status, body } = await lab.api('POST', '/v2/monitor', { name: 'a', schedule: { text: 'daily' }, targets })

    expect([status, body['error']]).toEqual([400, message])
  })

  test('in a monitor without notifications is accepted', async () => {
    const targets = [{ type: 'scrape', urls: [site.url('/article')] }]
    const monitor = { name: 'a', schedule: { text: 'daily' }, targets, webhook: null, notification: null, goal: null }

    expect(await lab.api('POST', '/v2/monitor', monitor)).toMatchObject({
      status: 200,
      body: { data: { webhook: null, notification: {}, goal: null } },
    })
  })

  test.each(['repo', 'code', 'docs', 'devdex', 'repo_search', 'developer_index'])(
    'as the category %s of a search is that of developers',
    (name) => {
      const categories = [{ type: 'developer' }]

      for (const sent of [name, { type: name }]) {
        expect(searchRequest.parse({ query: 'knots', categories: [sent] })).toMatchObject({ categories })
      }
    },
  )

  test.each<readonly [object, string]>([
    [{ redactPII: 'yes' }, '`redactPII`'],
    [{ formats: ['rawBase64', 'markdown'] }, 'The rawBase64 format cannot be combined with other formats'],
    [{ formats: [{ type: 'question', question: 'Why?' }] }, 'The format question needs a language model'],
    [{ threatProtection: { mode: 'normal' } }, 'has no threat protection'],
    [{ parsers: ['pdf', { type: 'pdf' }] }, 'only once'],
    [{ parsers: [{ type: 'pdf', blocks: true }], redactPII: true }, 'redactPII redacts only Markdown'],
    [{ formats: ['summary'] }, 'The format summary needs a language model'],
    [{ formats: ['menu'] }, 'Format "menu" is not supported'],
    [{ timeout: 5 }, '`timeout` must be at least 1000'],
    [{ mobile: 'yes' }, '`mobile` must be `true` or `false`'],
    [{ proxy: 'best' }, '`proxy` must be one of "basic"'],
    [{ maxAge: 1.5 }, '`maxAge` must be a whole number'],
    [{ url: ' ' }, 'Invalid URL'],
    [{ url: 'mailto:ada@example.com' }, 'URL uses unsupported protocol'],
    [{ url: 'ada@example.com' }, 'Invalid URL'],
    [{ includeTags: [''] }, '`includeTags.0` must have at least 1 character'],
    [{ actions: [{ type: 'wait', milliseconds: 1, until: 2 }] }, 'actions.0.until'],
    [{ url: 'nonsense' }, 'URL must have a valid top-level domain or be an IP address'],
    [{ url: undefined }, '`url` must be a string, but it is missing'],
    [{ waitFor: 900, timeout: 1000 }, 'waitFor must not exceed half of timeout'],
  ])('that is not supported is rejected with a message: %j', async (options, words) => {
    const { status, body } = await lab.api('POST', '/v2/scrape', { url: site.url('/article'), ...options })

    expect(status).toBe(400)
    expect(body['error']).toContain(words)
    expect(body['error']).not.toMatch(/Too small|Invalid (input|option)|expected/)
  })

  test.each(['stealth', 'enhanced'])('for the proxy %s costs the basic price if none is configured', async (proxy) => {
    const { body } = await lab.api('POST', '/v2/scrape', { url: site.url('/article'), proxy })

    expect(body).toMatchObject({
      data: { warning: expect.stringContaining(proxy), metadata: { proxyUsed: 'basic', creditsUsed: 1 } },
    })
  })

  test('that names the PDF action differently is accepted', async () => {
    const { body } = await lab.api('POST', '/v2/scrape', {
      url: site.url('/article'),
      actions: [{ type: 'generatePDF' }],
    })

    expect(body).toMatchObject({ data: { actions: { pdfs: [expect.any(String)] } } })
  })

  test.each(['/v1/scrape', '/v2/scrape'])('for a summary in %s is answered by the language model', async (path) => {
    const { body } = await withModel.api('POST', path, { url: site.url('/article'), formats: ['summary'] })

    expect(body).toMatchObject({ data: { summary: 'All about knots.', metadata: { creditsUsed: 1 } } })
    expect(body['data']).not.toHaveProperty('markdown')
  })

  test('for a crawl prompt sets the options that the request does not set', async () => {
    const preview = await withModel.api('POST', '/v2/crawl/params-preview', { url: site.url('/'), prompt: 'the docs' })
    const crawl = await withModel.api('POST', '/v2/crawl', { url: site.url('/'), prompt: 'the docs', limit: 1 })
    const unknown = { url: site.url('/'), prompt: 'the docs', depth: 1 }

    expect((await withModel.api('POST', '/v2/crawl/params-preview', unknown)).status).toBe(400)
    expect(preview.body).toEqual({ success: true, data: { url: site.url('/'), limit: 3, includePaths: ['^/docs'] } })
    expect(crawl.body).toMatchObject({
      promptGeneratedOptions: { limit: 3, includePaths: ['^/docs'] },
      finalCrawlerOptions: { limit: 1, includePaths: ['^/docs'] },
    })
  })

  test('for a crawl prompt from which no options were derived has a warning', async () => {
    const { body } = await withModel.api('POST', '/v2/crawl', { url: site.url('/'), prompt: 'everything', limit: 1 })

    expect(body).toMatchObject({
      success: true,
      promptGeneratedOptions: {},
      finalCrawlerOptions: { limit: 1 },
      warning: 'The language model derived no options from the prompt. The crawl runs with its other options.',
    })
  })

  test('for a crawl prompt and an idempotency key returns the first crawl, and asks the model once', async () => {
    const request = { url: site.url('/'), prompt: 'vary' }
    const headers = { authorization: `Bearer ${withModel.server.apiKey}`, 'x-idempotency-key': randomUUID() }
    const first = await withModel.api('POST', '/v2/crawl', request, headers)
    const asked = model.questions.length
    const second = await withModel.api('POST', '/v2/crawl', request, headers)
    const other = await withModel.api('POST', '/v2/crawl', { ...request, prompt: 'vary it' }, headers)

    expect(model.questions).toHaveLength(asked)
    expect(first.body).toMatchObject({ success: true, promptGeneratedOptions: { limit: expect.any(Number) } })
    expect(second.body).toEqual(first.body)
    expect(other.body['code']).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test.each([
    ['/v2/batch/scrape', { urls: ['http://127.0.0.1:1/'] }],
    ['/v2/crawl', { url: 'http://127.0.0.1:1/' }],
  ])('for the version of a client does not make another job of a repeated %s', async (path, request) => {
    const headers = { authorization: `Bearer ${withModel.server.apiKey}`, 'x-idempotency-key': randomUUID() }
    const first = await withModel.api('POST', path, { ...request, origin: 'js-sdk@4.42.0' }, headers)
    const second = await withModel.api('POST', path, { ...request, origin: 'js-sdk@4.43.0' }, headers)

    expect(first.body).toMatchObject({ success: true })
    expect(second.body['id']).toBe(first.body['id'])
  })

  test.each([{ lockdown: true }, { minAge: 0 }])(
    '%o is refused with changeTracking, which loads the page',
    async (option) => {
      const { status, body } = await withModel.api('POST', '/v2/scrape', {
        url: site.url('/'),
        formats: ['markdown', 'changeTracking'],
        ...option,
      })

      expect(status).toBe(400)
      expect(body['error']).toBe(`changeTracking loads the page, which ${Object.keys(option)[0]} forbids`)
    },
  )

  test('for an empty crawl prompt is ignored', async () => {
    for (const { api } of [lab, withModel]) {
      const { body } = await api('POST', '/v2/crawl', { url: site.url('/'), prompt: ' ', limit: 1 })

      expect(Object.keys(body)).toEqual(['success', 'id', 'url'])
    }
  })

  test('for a crawl prompt causes a warning without a language model', async () => {
    const { body } = await lab.api('POST', '/v2/crawl', { url: site.url('/'), prompt: 'the docs', limit: 1 })

    expect(body).toMatchObject({ success: true, warning: expect.stringContaining('no language model') })
  })

  test.each(['/v2/batch/scrape', '/v2/crawl'])(
    'for zeroDataRetention is rejected by %s without a webhook',
    async (path) => {
      const pages = { url: site.url('/'), urls: [site.url('/')] }
      const body = { ...(path.endsWith('crawl') ? { url: pages.url } : { urls: pages.urls }), zeroDataRetention: true }

      const refused: object[] = [body, { ...body, webhook: { url: site.url('/hook'), events: ['completed'] } }]
      if (path.endsWith('crawl')) {
        const { zeroDataRetention } = body
        refused.push({ ...body, zeroDataRetention: false, scrapeOptions: { zeroDataRetention } })
      }
      for (const each of refused) expect(await lab.api('POST', path, each)).toMatchObject({ status: 400 })
      expect(await lab.api('POST', path, { ...body, webhook: site.url('/hook') })).toMatchObject({ status: 200 })
    },
  )
})
