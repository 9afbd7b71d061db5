import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startJobFixture } from './fixture.ts'

test('a single batch or crawl can use all page slots of its server', async () => {
  const count = 20
  let running = 0
  let most: number[] = []
  let all = Promise.withResolvers<void>()
  await using fixture = await startJobFixture(
    'PostgreSQL',
    { maxBulkPages: count, maxHostPages: 100 },
    {
      '/slow': async ({ response }) => {
        running += 1
        most.push(running)
        if (running === count) all.resolve()
        // Bounds a failure only.
        await Promise.race([all.promise, sleep(8000, undefined, { ref: false })])
        running -= 1
        response.setHeader('content-type', 'text/html').end('<h1>Slow</h1>')
      },
      '/start': ({ response }) => {
        const links = Array.from({ length: count }, (_, index) => `<a href="/slow?link=${index}">${index}</a>`)
        response.setHeader('content-type', 'text/html').end(links.join(' '))
      },
    },
  )
  const { site, start, ended } = fixture
  const urls = Array.from({ length: count }, (_, index) => site.url(`/slow?n=${index}`))

  await ended(await start('/v2/batch/scrape', { urls }))
  const ofBatch = Math.max(...most)
  most = []
  all = Promise.withResolvers()
  await ended(await start('/v2/crawl', { url: site.url('/start'), crawlEntireDomain: true, sitemap: 'skip' }))

  expect([ofBatch, Math.max(...most)]).toEqual([count, count])
})
