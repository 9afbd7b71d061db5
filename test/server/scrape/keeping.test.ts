import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScrapeWorld, type ScrapeWorld } from './world.ts'

let world: ScrapeWorld
let version = 1
beforeAll(async () => {
  world = await startScrapeWorld(
    {},
    {
      '/changing': ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.end(`<p>first</p><p>version ${version}</p><p>last</p>`)
      },
    },
  )
})
afterAll(async () => world[Symbol.asyncDispose]())

describe('a page that was scraped', () => {
  test('is answered from the store while it is young enough, for the same price', async () => {
    const first = await world.read('/changing', { maxAge: 60_000 })
    version += 1
    const second = await world.read('/changing', { maxAge: 60_000 })
    const third = await world.read('/changing', { maxAge: 0 })

    expect(second['markdown']).toBe(first['markdown'])
    expect(second['metadata']).toMatchObject({ cacheState: 'hit', cachedAt: expect.any(String), creditsUsed: 1 })
    expect(second['metadata']['scrapeId']).not.toBe(first['metadata']['scrapeId'])
    expect(third['markdown']).not.toBe(first['markdown'])
  })

  test('is not answered to a scrape with other options', async () => {
    await world.read('/article')

    const other = await world.read('/article', { maxAge: 60_000, excludeTags: ['h1'] })

    expect(other['metadata']['cacheState']).toBe('miss')
  })

  test.each([{ storeInCache: false }, { headers: { 'x-a': 'b' } }, { zeroDataRetention: true }])(
    'is not stored for others with %o',
    async (options) => {
      const path = `/article?${JSON.stringify(options)}`
      await world.read(path, options)

      expect((await world.read(path, { maxAge: 60_000 }))['metadata']['cacheState']).toBe('miss')
    },
  )

  test('can be read again by its id, under both versions of the API', async () => {
    const page = await world.read('/article')
    const id = page['metadata']['scrapeId']

    for (const root of ['/v1', '/v2']) {
      const { status, body } = await world.lab.api('GET', `${root}/scrape/${id}`)
      expect(status).toBe(200)
      expect(body).toEqual({ success: true, data: page })
    }
  })

  test('is nobody else’s', async () => {
    const { metadata } = await world.read('/article')
    const { body } = await world.lab.api('POST', '/v2/team/keys', { team: 'others' })
    const headers = { authorization: `Bearer ${body['key']}` }

    expect((await world.lab.api('GET', `/v2/scrape/${metadata['scrapeId']}`, undefined, headers)).status).toBe(403)
    expect((await world.lab.api('GET', '/v2/scrape/01a1fd15-0c10-7879-aa7c-0b034b2f48df')).status).toBe(404)
  })

  test('is not kept at all with zeroDataRetention, not even its picture, for a credit more', async () => {
    const page = await world.read('/article', { zeroDataRetention: true, formats: ['markdown', 'screenshot'] })

    expect(page['screenshot']).toMatch(/^data:image\/png;base64,/)
    expect(page['metadata']['creditsUsed']).toBe(2)
    expect((await world.lab.api('GET', `/v2/scrape/${page['metadata']['scrapeId']}`)).status).toBe(404)
  })

  test('that is larger than a row is read again all the same', async () => {
    const page = await world.read('/article', { formats: ['rawHtml', 'markdown'], waitFor: 1 })
    const large = await world.read('/deep', { formats: ['rawHtml'] })

    expect(page['rawHtml']).toContain('harbour')
    const { body } = await world.lab.api('GET', `/v2/scrape/${large['metadata']['scrapeId']}`)
    expect(body['data']['rawHtml']).toHaveLength(large['rawHtml'].length)
  })
})

describe('the store alone', () => {
  test('answers with lockdown, for four credits more, or 404', async () => {
    await world.read('/article?locked')

    const found = await world.read('/article?locked', { lockdown: true })
    const missing = await world.scrape('/article?never', { lockdown: true })

    expect(found['metadata']).toMatchObject({ cacheState: 'hit', creditsUsed: 5 })
    expect([missing.status, missing.body['code']]).toEqual([404, 'SCRAPE_LOCKDOWN_CACHE_MISS'])
  })

  test('answers with minAge what is old enough, or 404', async () => {
    await world.read('/article?aged')

    expect((await world.read('/article?aged', { minAge: 0 }))['metadata']['cacheState']).toBe('hit')
    const tooYoung = await world.scrape('/article?aged', { minAge: 3_600_000 })
    expect([tooYoung.status, tooYoung.body['code']]).toEqual([404, 'SCRAPE_NO_CACHED_DATA'])
  })
})

test('changes since the last scrape are told, by team and tag', async () => {
  const track = (tag: string) => ({
    formats: ['markdown', { type: 'changeTracking', modes: ['git-diff'], tag }],
    onlyMainContent: false,
  })
  const first = await world.read('/changing', track('a'))
  const same = await world.read('/changing', track('a'))
  version += 1
  const changed = await world.read('/changing', track('a'))
  const otherTag = await world.read('/changing', track('b'))

  expect(first['changeTracking']).toEqual({ previousScrapeAt: null, changeStatus: 'new', visibility: 'visible' })
  expect(same['changeTracking']).toMatchObject({ changeStatus: 'same', previousScrapeAt: expect.any(String) })
  expect(changed['changeTracking']['changeStatus']).toBe('changed')
  expect(changed['changeTracking']['diff']['text']).toContain(`-version ${version - 1}\n+version ${version}\n`)
  expect(changed['changeTracking']['diff']['json']['files'][0]['chunks'][0]['changes']).toContainEqual({
    type: 'add',
    add: true,
    ln: 3,
    content: `+version ${version}`,
  })
  expect(otherTag['changeTracking']['changeStatus']).toBe('new')
})
