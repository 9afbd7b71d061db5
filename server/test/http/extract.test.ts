import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startModel, type Model } from '../../../test/lab/language-model.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { linksTo } from '../map/fixture.ts'

const fixture = new AsyncDisposableStack()
const schema = { type: 'object', properties: { boats: { type: 'array' } } }
let lab: Lab
let site: Site
let model: Model
let bowline: Bowline
let client: Firecrawl
let says: string

beforeAll(async () => {
  site = fixture.use(
    await startSite({
      '/fleet/': linksTo('/fleet/red', '/fleet/blue', '/elsewhere'),
      '/harbour/': linksTo('/harbour/a.png', '/harbour/b.css', '/harbour/old', '/harbour/new'),
      '/harbour/old': ({ response }) => void response.writeHead(302, { location: '/harbour/new' }).end(),
      '/harbour/new': fixedPage('Quay', '<h1>The quay</h1>'),
      '/dock/': fixedPage(
        'Dock',
        `<div id="root"></div><script>
        document.getElementById('root').innerHTML = '<a href="/dock/crane">Crane</a>'
      </script>`,
      ),
      '/dock/crane': fixedPage('Crane', '<h1>The crane</h1>'),
      '/empty/': fixedPage('Empty', '<h1>Nothing under it</h1>'),
      '/moved': ({ response, crossOrigin }) =>
        void response.writeHead(302, { location: `${crossOrigin}/landed` }).end(),
      '/landed': fixedPage('Landed', '<h1>The landing</h1>'),
      '/long': fixedPage('Long', `<p>${'word '.repeat(40_000)}</p>`),
      '/fleet/red': fixedPage('Red', '<h1>The red boat</h1>'),
      '/fleet/blue': fixedPage('Blue', '<h1>The blue boat</h1>'),
    }),
  )
  model = fixture.use(await startModel(() => says))
  lab = fixture.use(await startLab({ llmUrl: model.url }))
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
  client = new Firecrawl({ apiKey: lab.server.apiKey, apiUrl: lab.server.url })
})
beforeEach(() => {
  says = '{"boats":["red"]}'
})
afterAll(async () => fixture.disposeAsync())

function asked(): string {
  return model.questions.at(-1)?.messages.at(-1)?.content ?? ''
}

test('data is extracted from several pages, for five credits each and at least twenty', async () => {
  const urls = ['/fleet/red', '/fleet/blue', '/fleet/', '/fleet/red?1', '/fleet/red?2'].map((path) => site.url(path))
  const further = ['/fleet/red#1', '/no'].map((path) => site.url(path))

  const found = await bowline.extract([...urls, ...further], {
    prompt: 'Which boats?',
    systemPrompt: 'Be brief.',
    schema,
    showSources: true,
  })

  expect(found).toMatchObject({ data: { boats: ['red'] }, creditsUsed: 25, invalidUrls: [], sources: { pages: urls } })
  expect(found.warning).toContain('/no: The page responded with status 404')
  expect(model.questions.at(-1)?.response_format.json_schema?.schema).toEqual(schema)
  for (const part of ['Be brief.', 'Which boats?', '# The red boat', '# The blue boat']) expect(asked()).toContain(part)
  const { body: activity } = await lab.api('GET', '/v2/team/activity?endpoint=extract')
  expect(activity['data']).toMatchObject([{ id: found.id, api_version: 'v2', target: urls[0] }])
  const { body } = await lab.api('GET', `/v1/extract/${found.id}`)
  expect(body).toEqual({
    success: true,
    status: 'completed',
    data: { boats: ['red'] },
    sources: { pages: urls },
    creditsUsed: 25,
    tokensUsed: 375,
    expiresAt: expect.any(String),
    warning: found.warning,
  })
  const metrics = await lab.api('GET', '/metrics')
  expect(metrics.body['text']).toContain('bowline_credits_billed_total{kind="extract"} 25\n')
})

test('custom headers of an extraction do not follow a redirect to another origin', async () => {
  const headers = { 'X-Token': 'secret', Authorization: 'secret', Cookie: 'secret=1' }
  await bowline.extract(site.url('/moved'), { prompt: 'x', scrapeOptions: { headers } })

  const sentTo = (wanted: string) =>
    site.requests.all
      .filter(({ path }) => path === wanted)
      .map(({ headers: sent }) => ['x-token', 'authorization', 'cookie'].map((name) => sent[name]))
  expect(sentTo('/moved')).toEqual([['secret', 'secret', 'secret=1']])
  expect(sentTo('/landed')).toEqual([[undefined, undefined, undefined]])
})

test('a warning lists content that the model did not get and searches that were skipped', async () => {
  const long = await bowline.extract([site.url('/long'), site.url('/fleet/red')], { prompt: 'x' })
  const searched = await bowline.extract(site.url('/fleet/red'), { prompt: 'red '.repeat(101), enableWebSearch: true })
  const folder = await bowline.extract(site.url('/empty/*'), { prompt: 'x' })

  expect(long.warning).toContain(`${site.url('/long')}: only the first 95,000 characters were used`)
  expect(searched.warning).toContain('the first 400 characters of the prompt')
  expect(folder.warning).toContain('/empty/*: Only 1 page was found')
})

test('a URL that ends in /* selects the pages below it', async () => {
  const { creditsUsed } = await bowline.extract(site.url('/fleet/*'), { prompt: 'Which boats?' })

  expect(creditsUsed).toBe(20)
  expect(asked()).toContain('# The blue boat')
  expect(asked()).not.toContain('/elsewhere\n\n')
})

test('/* leaves out images and style sheets, and a page to which several links lead is read once', async () => {
  const before = site.requests.all.length
  const { sources, warning } = await bowline.extract(site.url('/harbour/*'), {
    prompt: 'x',
    limit: 3,
    showSources: true,
  })

  const { pages } = sources as { readonly pages: readonly string[] }
  expect(pages).toHaveLength(2)
  expect(pages).toContain(site.url('/harbour/'))
  expect(warning).toBeUndefined()
  expect(asked().split('# The quay')).toHaveLength(2)
  expect(site.requests.all.slice(before).map(({ path }) => path)).not.toContain('/harbour/b.css')
})

test('/* also finds pages that only scripts link to', async () => {
  await bowline.extract(site.url('/dock/*'), { prompt: 'Which machines?' })

  expect(asked()).toContain('# The crane')
})

test('pages found by a search are read and billed with the extraction', async () => {
  const creditsUsed = async (): Promise<number> =>
    (await bowline.usage.history()).reduce((sum, { credits }) => sum + credits, 0)
  await bowline.scrape(site.url('/fleet/red'))
  const before = await creditsUsed()

  const found = await bowline.extract([], { prompt: 'red boat', enableWebSearch: true })

  expect(found).toMatchObject({ data: { boats: ['red'] }, creditsUsed: 22 })
  expect(await creditsUsed()).toBe(before + 22)
  expect(asked()).toContain(`Page ${site.url('/fleet/red')}`)
})

test('the pages of an extraction are stored with its result and its charge, and none of them if it fails', async () => {
  const path = '/fleet/red?stored'
  const fetches = (): number => site.requests.all.filter((request) => request.path === path).length
  const extract = async () => bowline.extract(site.url(path), { prompt: 'x' })
  says = 'I would rather not.'
  await extract().catch(() => undefined)
  const failed = fetches()
  says = '{}'

  await extract()
  const completed = fetches()
  await extract()

  expect(completed).toBeGreaterThan(failed)
  // From the cache.
  expect(fetches()).toBe(completed)
})

test('an extraction that cannot read a page or parse the answer fails with the reason and costs nothing', async () => {
  says = 'I would rather not.'
  await expect(bowline.extract(site.url('/fleet/red'), { prompt: 'x' })).rejects.toMatchObject({
    code: 'EXTRACT_FAILED',
    message: expect.stringMatching(/extracted nothing: its answer is not valid JSON$/),
  })
  const { body } = await lab.api('POST', '/v2/extract', { urls: ['http://nothing.invalid/'], prompt: 'x' })
  await expect
    .poll(async () => (await lab.api('GET', `/v2/extract/${body['id']}`)).body, { timeout: 20_000 })
    .toMatchObject({ success: false, status: 'failed', data: [], error: expect.stringContaining('None of 1 pages') })
})

test('invalid URLs are reported or rejected', async () => {
  const body = { urls: ['ftp://a.example', site.url('/fleet/red')], prompt: 'x' }

  expect((await lab.api('POST', '/v2/extract', body)).body).toMatchObject({ invalidURLs: ['ftp://a.example'] })
  expect(await lab.api('POST', '/v1/extract', body)).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('ftp://a.example') },
  })
})

test.each([
  [{ urls: ['a.example'] }, 'Set `prompt`, `schema` or both'],
  [{ prompt: 'x' }, 'enableWebSearch'],
  [{ urls: ['a.example'], schema: { type: 'nope' } }, 'Invalid JSON schema: schema.type is "nope"'],
  [{ urls: ['ftp://x'], prompt: 'x' }, 'No valid URLs provided'],
  [{ urls: ['a.example'], prompt: 'x', agent: { model: 'FIRE-1' } }, 'agent'],
  [{ urls: ['a.example'], prompt: 'x', allowExternalLinks: true }, 'does not follow'],
  [{ urls: ['a.example'], prompt: 'x', limit: 1000 }, 'limit'],
])('rejects %o', async (body, why) => {
  const answer = await lab.api('POST', '/v2/extract', body)

  expect(answer).toMatchObject({ status: 400, body: { success: false, error: expect.stringContaining(why) } })
})

test('an unknown extraction, or one of another team, is not found', async () => {
  const key = (await lab.api('POST', '/v2/team/keys', { name: 'x', team: 'other' })).body['key'] as string
  const { id } = (await lab.api('POST', '/v2/extract', { urls: [site.url('/fleet/red')], prompt: 'x' })).body

  for (const [path, token] of [
    ['00000000-0000-7000-8000-000000000000', lab.server.apiKey],
    ['nonsense', lab.server.apiKey],
    [String(id), key],
  ]) {
    const answer = await lab.api('GET', `/v2/extract/${path}`, undefined, { authorization: `Bearer ${token}` })
    expect(answer).toMatchObject({ status: 404, body: { error: 'Extract job not found' } })
  }
})

test('a webhook receives the events of an extraction', async () => {
  await using receiver = await startReceiver()

  const url = site.url('/fleet/red')
  const { creditsUsed } = await bowline.extract(url, {
    prompt: 'x',
    showSources: true,
    webhook: { url: receiver.url() },
  })

  const events = (await receiver.whenReceived(2)).map(({ body: { type, success, data } }) => ({ type, success, data }))
  expect(events).toHaveLength(2)
  expect(events).toContainEqual({ type: 'extract.started', success: true, data: [] })
  const completed = {
    success: true,
    data: { boats: ['red'] },
    extractId: expect.any(String),
    totalUrlsScraped: 1,
    sources: { pages: [url] },
    creditsUsed,
    tokensUsed: expect.any(Number),
  }
  expect(events).toContainEqual({ type: 'extract.completed', success: true, data: [completed] })
})

test('the public client extracts with both API versions', async () => {
  const started = await client.startExtract({ urls: [site.url('/fleet/red')], prompt: 'x', schema })
  const second = await client.extract({ urls: [site.url('/fleet/red')], prompt: 'x', pollInterval: 1 })
  const first = await client.v1.extract([site.url('/fleet/red')], { prompt: 'x' })

  await expect
    .poll(async () => client.getExtractStatus(started.id!), { timeout: 20_000 })
    .toMatchObject({ success: true, status: 'completed' })
  expect(second).toMatchObject({ status: 'completed', data: { boats: ['red'] } })
  expect(first).toMatchObject({ success: true, data: { boats: ['red'] } })
})
