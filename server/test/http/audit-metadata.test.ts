import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

let lab: Lab
let site: Site
beforeAll(async () => {
  ;[lab, site] = [await startLab(), await startSite()]
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const auditMetadata = { username: 'ada@example.com', ticket: 7 }
const echoed = { username: 'ada@example.com' }

test('the activity lists on whose behalf calls were made', async () => {
  const url = site.url('/article')
  const form = new FormData()
  form.set('options', JSON.stringify({ auditMetadata }))
  form.set('file', new Blob(['a,b']), 'a.csv')
  const headers = { authorization: `Bearer ${lab.server.apiKey}` }
  await fetch(new URL('/v2/parse', lab.server.url), { method: 'POST', headers, body: form })
  await lab.api('POST', '/v1/scrape', { url, auditMetadata })
  await lab.api('POST', '/v2/map', { url, auditMetadata })
  await lab.api('POST', '/v2/scrape', { url })
  await lab.api('POST', '/v2/crawl', { url, limit: 1, scrapeOptions: { auditMetadata } })

  const { body } = await lab.api('GET', '/v2/team/activity')

  expect(body['data'].map((each: Record<string, unknown>) => [each['endpoint'], each['audit_metadata']])).toEqual([
    ['crawl', echoed],
    ['scrape', undefined],
    ['map', echoed],
    ['scrape', echoed],
    ['scrape', echoed],
  ])
})

test('webhooks of a job contain the metadata of its call', async () => {
  await using receiver = await startReceiver()
  const urls = [site.url('/article')]

  await lab.api('POST', '/v2/batch/scrape', { urls, auditMetadata, webhook: receiver.url() })
  const received = await receiver.whenReceived(3)

  expect(received.map(({ body }) => body['auditMetadata'])).toEqual([echoed, echoed, echoed])
})

test('a user name may have 1024 characters', async () => {
  const { status, body } = await lab.api('POST', '/v2/scrape', {
    url: site.url('/article'),
    auditMetadata: { username: 'a'.repeat(1025) },
  })

  expect([status, body['code'], body['error']]).toEqual([
    400,
    'BAD_REQUEST',
    expect.stringContaining('auditMetadata.username'),
  ])
})
