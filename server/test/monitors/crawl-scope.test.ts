import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { linksTo } from '../map/fixture.ts'
import { createMonitor, runCheck } from './fixture.ts'

let site: Site
let lab: Lab
beforeAll(async () => {
  site = await startSite({
    '/old/': linksTo('/old/a', '/old/b'),
    '/old/a': linksTo(),
    '/old/b': linksTo(),
    '/new/': linksTo('/new/a'),
    '/new/a': linksTo(),
    '/files/': linksTo('/files/page', '/files/archive.zip', '/files/picture.png', '/files/style.css'),
    '/files/page': linksTo(),
  })
  lab = await startLab()
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const check = async (id: string): Promise<readonly string[]> => {
  const { pages = [] } = await runCheck(lab.api, id)
  return pages.map(({ url }: { url: string }) => new URL(url).pathname).toSorted()
}

test('a crawl target whose URL changes no longer checks the pages of the old one', async () => {
  const crawlOptions = { limit: 3 }
  const { id } = await createMonitor(lab.api, { targets: [{ type: 'crawl', url: site.url('/old/'), crawlOptions }] })
  const before = await check(id)
  const { body } = await lab.api('GET', `/v2/monitor/${id}`)
  const [target] = body['data'].targets as readonly object[]
  await lab.api('PATCH', `/v2/monitor/${id}`, { targets: [{ ...target, url: site.url('/new/') }] })

  expect(before).toEqual(['/old/', '/old/a', '/old/b'])
  expect(await check(id)).toEqual(['/new/', '/new/a'])
})

test('a crawl target checks no images, style sheets or archives', async () => {
  const { id } = await createMonitor(lab.api, { targets: [{ type: 'crawl', url: site.url('/files/') }] })

  expect(await check(id)).toEqual(['/files/', '/files/page'])
})
