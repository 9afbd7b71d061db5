import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let teams = 0

beforeAll(async () => {
  site = fixture.use(await startSite({ '/': fixedPage('Home', '<p>Welcome.</p>') }))
  lab = fixture.use(await startLab())
})
afterAll(async () => fixture.disposeAsync())

/** Creates a team, and returns a function that calls the API with its key. */
async function newTeam() {
  const team = `team ${(teams += 1)}`
  await lab.api('POST', '/v2/teams', { name: team })
  const { body } = await lab.api('POST', '/v2/team/keys', { team, name: 'ci' })
  return async (method: string, path: string, sent?: unknown) =>
    lab.api(method, path, sent, { authorization: `Bearer ${body['key']}` })
}

test('usage can be split by kind of work, and the most expensive work is listed by its own cost', async () => {
  const call = await newTeam()
  await call('POST', '/v2/scrape', { url: site.url('/'), maxAge: 0 })
  const session = await call('POST', '/v2/browser', { ttl: 30, name: 'Export' })
  await call('DELETE', `/v2/browser/${session.body['id']}`)
  const batch = await call('POST', '/v2/batch/scrape', {
    urls: Array.from({ length: 10 }, (_, at) => site.url(`/?${at}`)),
  })
  await expect
    .poll(async () => (await call('GET', `/v2/batch/scrape/${batch.body['id']}`)).body['status'])
    .toBe('completed')

  const { periods } = (await call('GET', '/v2/team/credit-usage/historical?byKind=true')).body
  expect(periods).toMatchObject([
    { kind: 'job', creditsUsed: 10 },
    { kind: 'scrape', creditsUsed: 1 },
    { kind: 'session', creditsUsed: 2 },
  ])
  const both = (await call('GET', '/v2/team/credit-usage/historical?byKind=true&byApiKey=true&period=day')).body
  expect(both['periods']).toContainEqual(expect.objectContaining({ apiKey: 'ci', kind: 'job', creditsUsed: 10 }))
  const costs = async (query: string) => (await call('GET', `/v2/team/credit-usage/costs${query}`)).body['data']
  expect(await costs('')).toMatchObject([
    { kind: 'batch_scrape', id: batch.body['id'], target: site.url('/?0'), pages: 10, credits: 10 },
    { kind: 'session', id: session.body['id'], target: 'Export', credits: 2 },
  ])
  expect((await call('GET', '/v2/team/activity?endpoint=batch_scrape')).body['data']).toMatchObject([{ pages: 10 }])
  expect(await costs('?limit=1')).toMatchObject([{ credits: 10 }])
  expect(await costs(`?from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
  expect(await costs(`?to=${new Date(Date.now() - 60_000).toISOString()}`)).toEqual([])
  const callOfOther = await newTeam()
  expect((await callOfOther('GET', '/v2/team/credit-usage/costs')).body['data']).toEqual([])
})

test('of work that cost the same, the newest is listed', async () => {
  const call = await newTeam()
  const ids: unknown[] = []
  for (const name of ['First', 'Second', 'Third']) {
    const { body } = await call('POST', '/v2/browser', { ttl: 30, name })
    await call('DELETE', `/v2/browser/${body['id']}`)
    ids.unshift(body['id'])
  }

  const { data } = (await call('GET', '/v2/team/credit-usage/costs?limit=1')).body

  expect(data.map(({ id }: { readonly id: string }) => id)).toEqual([ids[0]])
})

test('the activity is filtered by outcome, text and time', async () => {
  const call = await newTeam()
  const home = site.url('/')
  const closed = 'http://127.0.0.1:1/'
  await call('POST', '/v2/scrape', { url: home })
  await call('POST', '/v2/scrape', { url: closed })
  await call('POST', '/v2/map', { url: closed })
  const list = async (query: string): Promise<readonly Readonly<Record<string, string>>[]> =>
    (await call('GET', `/v2/team/activity?${query}`)).body['data']
  const targetsOf = async (query: string) => (await list(query)).map(({ target }) => target)

  expect(await targetsOf('failed=false')).toEqual([home])
  expect(await targetsOf('failed=true&endpoint=scrape')).toEqual([closed])
  expect(await targetsOf(`search=${encodeURIComponent(home.toUpperCase())}`)).toEqual([home])
  const [map] = await list('')
  expect(await targetsOf(`search=${map?.['error']?.toLowerCase()}&endpoint=map`)).toEqual([closed])
  expect(await targetsOf('search=%25')).toEqual([])
  const time = map?.['created_at'] ?? ''
  expect(await list(`from=${time}&to=${new Date(Date.parse(time) + 1).toISOString()}`)).toContainEqual(map)
  expect(await targetsOf(`to=${new Date(Date.parse(time) - 600_000).toISOString()}`)).toEqual([])
  expect((await call('GET', '/v2/team/activity?from=yesterday')).status).toBe(400)
})
