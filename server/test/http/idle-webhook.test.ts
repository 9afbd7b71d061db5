import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

let lab: Lab
let site: Site
beforeAll(async () => {
  site = await startSite({})
  lab = await startLab()
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const warning = 'The webhook receives nothing, because `webhook.events` is empty.'

test('a webhook without events is named in a warning by every route that accepts one', async () => {
  const webhook = { url: site.url('/hook'), events: [] }
  const monitor = {
    name: 'Pages',
    schedule: { cron: '0 9 * * *' },
    targets: [{ type: 'scrape', urls: [site.url('/')] }],
  }
  const warningOf = async (path: string, body: object, method = 'POST') => {
    const { status, body: answer } = await lab.api(method, path, body)
    expect([path, status]).toEqual([path, 200])
    return answer['warning'] as string | undefined
  }
  for (const version of ['v1', 'v2']) {
    expect(await warningOf(`/${version}/batch/scrape`, { urls: [site.url('/')], webhook })).toBe(warning)
    expect(await warningOf(`/${version}/crawl`, { url: site.url('/'), limit: 1, webhook })).toBe(warning)
  }
  expect(await warningOf('/v2/browser', { ttl: 30, webhook })).toBe(warning)
  expect(await warningOf('/v2/monitor', { ...monitor, webhook })).toBe(warning)

  const { body } = await lab.api('POST', '/v2/monitor', { ...monitor, webhook: webhook.url })
  expect(body['warning']).toBeUndefined()
  const { id } = body['data'] as { readonly id: string }
  expect(await warningOf(`/v2/monitor/${id}`, { webhook }, 'PATCH')).toBe(warning)
  expect(await warningOf(`/v2/monitor/${id}`, { name: 'Other' }, 'PATCH')).toBeUndefined()
  expect(await warningOf(`/v2/monitor/${id}`, { webhook: null }, 'PATCH')).toBeUndefined()
})
