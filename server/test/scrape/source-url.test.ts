import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { startJobFixture, type JobFixture } from '../jobs/fixture.ts'

let fixture: JobFixture
let root: string
beforeAll(async () => {
  fixture = await startJobFixture('PostgreSQL')
  root = fixture.site.url('/').replace(/\/$/, '')
})
afterAll(async () => fixture[Symbol.asyncDispose]())

async function scraped(path: string, body: object) {
  return (await fixture.lab.api('POST', path, body)).body['data']['metadata']
}

test.each(['/v1/scrape', '/v2/scrape'])('%s returns the URL as the caller wrote it', async (path) => {
  const bare = root.replace('http://', '')

  for (const url of [root, bare, `${root}/../page?q=a b`, `${root}/page?part#Part`]) {
    expect(await scraped(path, { url, maxAge: 0 }), url).toMatchObject({ sourceURL: url })
  }
  const kept = await scraped(path, { url: `${root}/page` })
  const again = await scraped(path, { url: `${root}/./page` })
  expect([kept['sourceURL'], again['cacheState'], again['sourceURL'], again['url']]).toEqual([
    `${root}/page`,
    'hit',
    `${root}/./page`,
    `${root}/page`,
  ])
})

test('a URL that cannot be stored as written is returned in its canonical form', async () => {
  expect(await scraped('/v2/scrape', { url: `${root}/pa\nge` })).toMatchObject({ sourceURL: `${root}/page` })
})

test.each(['/v1/batch/scrape', '/v2/batch/scrape'])('%s returns URLs as the caller wrote them', async (path) => {
  const { lab, site, start, ended } = fixture
  const urls = [root, `${root}/./page`, site.url('/page')]
  const broken = `${root}/./broken`
  const job = await start(path, { urls: [...urls, broken] })
  const added = `${root}/page#added`

  await lab.api('POST', path, { urls: [added], appendToId: job.split('/').at(-1) })

  const sources = (await ended(job))['data'].map((each: any) => each.metadata.sourceURL) // oxlint-disable-line typescript/no-explicit-any -- a document
  expect(sources.toSorted()).toEqual([...urls, added].toSorted())
  expect((await lab.api('GET', `${job}/errors`)).body['errors']).toMatchObject([{ url: broken }])
})

test('webhooks contain the URLs of failed pages as the caller wrote them', async () => {
  await using receiver = await startReceiver()
  const broken = `${root}/./broken`
  await fixture.ended(
    await fixture.start('/v2/batch/scrape', { urls: [broken], webhook: { url: receiver.url(), events: ['page'] } }),
  )

  const [page] = await receiver.whenReceived(1)
  expect(page?.body).toMatchObject({ data: [{ metadata: { sourceURL: broken } }] })
})

test.each(['/v1/crawl', '/v2/crawl'])('%s returns its start URL as the caller wrote it', async (path) => {
  const status = await fixture.ended(await fixture.start(path, { url: root, limit: 1 }))

  expect(status['data']).toMatchObject([{ metadata: { sourceURL: root, url: `${root}/` } }])
})

test.each([
  ['/v2/scrape', {}, 'miss'],
  ['/v2/scrape', { maxAge: 1000 }, 'miss'],
  ['/v2/scrape', { maxAge: 0 }, undefined],
  ['/v1/scrape', {}, 'miss'],
  ['/v1/scrape', { maxAge: 0 }, undefined],
])('%s with %j returns cacheState %s', async (path, options, state) => {
  const metadata = await scraped(path, { url: `${root}/page?fresh=${path}${JSON.stringify(options)}`, ...options })

  expect(metadata['cacheState']).toBe(state)
})
