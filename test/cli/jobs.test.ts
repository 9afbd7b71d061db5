import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram } from '../client/program.ts'
import type { Pages } from '../lab/pages/page.ts'
import { runCommand } from '../lab/run-command.ts'
import { linksTo } from '../../server/test/map/fixture.ts'
import { makePages, startJobFixture, type JobFixture } from '../../server/test/jobs/fixture.ts'

const shop = ['1', '2', '3', '4', '5', '6'].map((name) => `/shop/${name}`)
const pages: Pages = {
  ...makePages().pages,
  '/shop/': linksTo(...shop, '/shop/private'),
  ...Object.fromEntries(shop.map((path) => [path, linksTo()])),
  '/alone/': linksTo('/shop/'),
  '/robots.txt': ({ response }) => void response.end('User-agent: *\nDisallow: /shop/private\n'),
}

let fixture: JobFixture
beforeAll(async () => {
  fixture = await startJobFixture('PGlite', {}, pages)
})
afterAll(async () => fixture[Symbol.asyncDispose]())

async function run(args: readonly string[], { isTerminal = false, env = {} } = {}) {
  return runCommand(args, {
    env: { BOWLINE_DATA_DIR: fixture.lab.dataDir, FORCE_COLOR: undefined, ...env },
    isTerminal,
  })
}

const unknownId = '01900000-0000-7000-8000-000000000000'

test('bowline jobs lists jobs, in a table with failed pages and credits on a terminal', async () => {
  const { lab, site, urls, start, ended } = fixture
  const batch = await start('/v2/batch/scrape', { urls: [...urls(2), site.url('/broken')] })
  await ended(batch)
  const id = batch.split('/').at(-1)!

  const table = await run(['jobs'], { isTerminal: true })
  const piped = await run(['jobs', 'list', '--kind', 'batch_scrape', '--status', 'completed', '--limit', '1'])
  const json = await run(['jobs', '--json', '--status', 'scraping'])

  expect(table.out).toMatch(/when +kind +status +completed +failed +pages +credits +id +target/)
  expect(table.out).toMatch(
    new RegExp(`batch +completed +2 +1 +3 +2 +${id} +${urls(1)[0]!.replace('?', '\\?')} and 2 more$`, 'm'),
  )
  expect(piped.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ id, failed: 1 }])
  expect(JSON.parse(json.out)).toEqual([])
  expect((await lab.api('GET', '/v2/team/jobs?status=processing')).body['data']).toEqual([])
})

test('bowline jobs show prints the counts, credits, times and options of a job', async () => {
  const { start, ended, site } = fixture
  const url = await start('/v2/crawl', { url: site.url('/alone/'), limit: 7, maxConcurrency: 2 })
  await ended(url)
  const id = url.split('/').at(-1)!

  const shown = await run(['jobs', 'show', id])
  const json = await run(['jobs', 'show', id, '--json'])
  const unknown = await run(['jobs', 'show', unknownId])

  expect(shown.out).toMatch(/^status +completed$/m)
  expect(shown.out).toMatch(/^completed +1\nfailed +0\npages +1\ncredits +1$/m)
  expect(shown.out).toMatch(/^ended +20/m)
  expect(shown.out).toMatch(/^options +\{"limit":7,"maxConcurrency":2\}$/m)
  expect(JSON.parse(json.out)).toMatchObject({ id, kind: 'crawl', options: { limit: 7 } })
  expect(unknown).toMatchObject({ code: 5, errors: expect.stringMatching(/^JOB_NOT_FOUND: /) as string })
})

test('bowline jobs show prints the idempotency key of a job, and jobs are found by it', async () => {
  const [url = ''] = fixture.urls(1)
  const { out } = await run(['batch', url, '--idempotency-key', '100% of the boats', '--json'])
  const { id } = JSON.parse(out) as { id: string }

  const shown = await run(['jobs', 'show', id])
  const found = await run(['jobs', '--search', '100% of', '--json'])
  const others = await run(['jobs', '--search', '100_ of', '--json'])
  const inside = await run(['jobs', '--search', 'the boats', '--json'])

  expect(shown.out).toMatch(/^idempotency key +100% of the boats$/m)
  expect(JSON.parse(found.out)).toMatchObject([{ id, idempotencyKey: '100% of the boats' }])
  expect([others, inside].map(({ out: list }) => JSON.parse(list) as unknown)).toEqual([[], []])
})

test('bowline jobs documents prints the documents of a running job until its end, and cancel ends it', async () => {
  const { lab, site, start, urls } = fixture
  const url = await start('/v2/batch/scrape', { urls: [...urls(2), site.url('/held')], maxConcurrency: 1 })
  const id = url.split('/').at(-1)!
  const args = ['jobs', 'documents', id]
  await using stopped = startProgram('src/cli/main.ts', args, { BOWLINE_DATA_DIR: lab.dataDir })
  await using program = startProgram('src/cli/main.ts', args, { BOWLINE_DATA_DIR: lab.dataDir })
  await expect.poll(() => [stopped.lines.length, program.lines.length], { timeout: 20_000 }).toEqual([2, 2])

  stopped.child.kill('SIGTERM')
  const { code: stoppedCode } = await stopped.ended
  const status = (await lab.api('GET', url)).body['status']
  const cancelled = await run(['jobs', 'cancel', unknownId, id])

  expect({ stoppedCode, status }).toEqual({ stoppedCode: 143, status: 'scraping' })
  expect(stopped.errors()).toContain(`bowline jobs cancel ${id}`)
  // The unknown one does not prevent the cancellation of the other.
  expect(cancelled).toMatchObject({ code: 5, out: `job ${id}: cancelled` })
  expect(cancelled.errors).toMatch(/^JOB_NOT_FOUND: /)
  expect((await program.ended).code).toBe(1)
  expect(program.errors()).toMatch(/^JOB_FAILED: Job .* was cancelled after 2 of 3 pages/m)
  const documents = program.lines.map((line) => JSON.parse(line) as { metadata: { sourceURL: string } })
  expect(documents.map(({ metadata }) => metadata.sourceURL)).toEqual(urls(2))
})

test('bowline jobs cancel reports a job that has ended', async () => {
  const { start, ended, urls } = fixture
  const url = await start('/v2/batch/scrape', { urls: urls(1) })
  await ended(url)

  const { code, errors } = await run(['jobs', 'cancel', url.split('/').at(-1)!, '--json'])

  expect(JSON.parse(errors)).toMatchObject({ code: 'CONFLICT' })
  expect(code).toBe(1)
})

test.each([
  [['jobs', 'cancle', unknownId], `USAGE_INVALID: unknown command 'cancle' (Did you mean cancel?)`],
  [['jobs', 'docu'], `USAGE_INVALID: unknown command 'docu' (Did you mean documents?)`],
  [['jobs', 'show'], `USAGE_INVALID: missing required argument 'id'`],
])('%j is answered with the mistake', async (args, message) => {
  const { code, errors } = await run(args)

  expect(errors).toContain(message)
  expect(code).toBe(2)
})

test('bowline batch counts the pages with an HTTP error, and has nothing to retry then', async () => {
  const { site, urls, lab } = fixture

  const batch = await run(['batch', ...urls(2), site.url('/missing')])
  const { body } = await lab.api('GET', '/v2/team/jobs?kind=batch_scrape&limit=1')
  const [{ id } = { id: '' }] = body['data'] as { id: string }[]
  const retry = await run(['batch', '--retry', id])
  const response = await lab.api('POST', `/v2/batch/scrape/${id}/retry`)

  expect(batch).toMatchObject({
    code: 0,
    errors: '3 pages (1 with an HTTP error, status 400 or more), 0 failed, 3 credits\n',
  })
  expect(retry).toMatchObject({ code: 0, out: '', errors: 'No failed pages to retry.\n' })
  expect(response).toMatchObject({ status: 409, body: { code: 'CONFLICT', error: 'No page of the job has failed' } })
  expect(response.body['hint']).toMatch(/^Pages with an HTTP error \(status 400 or more\) are results\./)
})

test('bowline crawl prints the warning of the crawl on standard error', async () => {
  const { code, errors } = await run(['crawl', fixture.site.url('/alone/')])

  expect(errors).toMatch(/^The crawl found only its start page\. These links were not followed: 1 link outside/)
  expect(errors).toContain('1 page, 0 failed, 1 credit\n')
  expect(code).toBe(0)
})

test('errors with the same code and message are printed once, with a hint that fits a job', async () => {
  const { lab, site } = fixture
  await lab.api('POST', '/v2/teams', { name: 'poor', credits: 2 })
  const { key } = (await lab.api('POST', '/v2/team/keys', { team: 'poor' })).body as { key: string }

  const { code, lines, errors } = await run(['crawl', site.url('/shop/')], { env: { BOWLINE_API_KEY: key } })
  await lab.api('POST', '/v2/teams', { name: 'poorer', credits: 2 })
  const other = (await lab.api('POST', '/v2/team/keys', { team: 'poorer' })).body as { key: string }
  const json = await run(['crawl', site.url('/shop/'), '--json'], { env: { BOWLINE_API_KEY: other.key } })

  expect(lines).toHaveLength(2)
  const [failed, hint, blocked, summary] = errors.trimEnd().split('\n')
  expect(failed).toMatch(
    /^INSUFFICIENT_CREDITS {2}http\S+\/shop\/\d, http\S+\/shop\/\d, http\S+\/shop\/\d and 2 more {2}\S/,
  )
  expect(hint).toMatch(/^INSUFFICIENT_CREDITS: Add credits .* `bowline batch --retry [-\da-f]{36}`\.$/)
  expect(blocked).toBe(`disallowed by robots.txt  ${site.url('/shop/private')}`)
  expect(summary).toBe('2 pages, 6 failed (1 disallowed by robots.txt), 2 credits')
  expect(code).toBe(6)
  expect(JSON.parse(json.out)).toMatchObject({ status: 'completed', completed: 2 })
  expect(json.errors).toMatch(/^INSUFFICIENT_CREDITS {2}5 pages not scraped {2}Add credits .* `bowline batch --retry /)
  expect(json.code).toBe(6)
})
