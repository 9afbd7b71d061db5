import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckPage as Page } from '../../../src/contract.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { createMonitor, runCheck, startChangingSite, startModel, type ChangingSite, type Model } from './fixture.ts'

function pathsOf({ pages }: Answer['body']) {
  return Object.fromEntries((pages as Page[]).map((page) => [new URL(page.url).pathname, page.status]))
}

describe.each(['PGlite', 'PostgreSQL'] as const)('a monitor, in %s', (storeKind) => {
  const undo = new AsyncDisposableStack()
  let lab: Lab
  let site: ChangingSite
  let model: Model

  beforeAll(async () => {
    const database = storeKind === 'PostgreSQL' ? undo.use(await (await sharedPostgres()).createDatabase()) : undefined
    site = undo.use(await startChangingSite())
    model = undo.use(await startModel())
    lab = undo.use(await startLab({ databaseUrl: database?.url, llmUrl: model.url }))
  })
  afterAll(async () => undo.disposeAsync())

  const creditsUsed = async (): Promise<number> => {
    const { body } = await lab.api('GET', '/v2/team/credit-usage/historical')
    return (body['periods'] as { creditsUsed: number }[]).reduce((sum, period) => sum + period.creditsUsed, 0)
  }

  test('is found by a part of its name, the start of its id, and the id of a check', async () => {
    const targets = [{ type: 'scrape', urls: [site.url('/found')] }]
    const named = async (name: string) => String((await createMonitor(lab.api, { name, targets }))['id'])
    const [id, other] = [await named('100% berths'), await named('1000 berths')]
    const check = String((await runCheck(lab.api, id))['id'])
    const find = async (search: string) => {
      const { body } = await lab.api('GET', `/v2/monitor?search=${encodeURIComponent(search)}`)
      return (body['data'] as { id: string }[]).map((each) => each.id)
    }

    expect(await find('BERTHS')).toEqual([other, id])
    expect(await find('100%')).toEqual([id])
    expect(await find(id.slice(0, 20).toUpperCase())).toEqual([id])
    expect(await find(check)).toEqual([id])
    expect(await find(check.slice(0, 20))).toEqual([])
  })

  test('reports new, same, changed and removed pages, with differences and costs, also to its webhook', async () => {
    await using receiver = await startReceiver()
    const used = await creditsUsed()
    site.set('/a', '<h1>Plans</h1><p>Basic is free.</p><p>Team costs 10 euros.</p>')
    site.set('/b', '<h1>About</h1><p>Nothing to see.</p>')
    site.set('/broken', 500)
    const { id } = await createMonitor(lab.api, {
      targets: [{ type: 'scrape', urls: [site.url('/a'), site.url('/b'), site.url('/broken')] }],
      webhook: { url: receiver.url('/hook'), metadata: { shop: 'x' } },
    })

    const first = await runCheck(lab.api, id)
    site.set('/a', '<h1>Plans</h1><p>Basic is free.</p><p>Team costs 12 euros.</p>')
    const second = await runCheck(lab.api, id)
    site.set('/b', undefined)
    const third = await runCheck(lab.api, id)

    expect([first, second, third].map(pathsOf)).toEqual([
      { '/a': 'new', '/b': 'new', '/broken': 'error' },
      { '/a': 'changed', '/b': 'same', '/broken': 'error' },
      { '/a': 'same', '/b': 'removed', '/broken': 'error' },
    ])
    expect(second).toMatchObject({
      status: 'partial',
      trigger: 'manual',
      billingStatus: 'confirmed',
      estimatedCredits: 3,
      reservedCredits: 3,
      actualCredits: 3,
      summary: { totalPages: 3, same: 1, changed: 1, new: 0, removed: 0, error: 1 },
    })
    const changed = (second['pages'] as Page[]).find((page) => page.status === 'changed')!
    expect(changed.diff!.text).toContain('-Team costs 10 euros.\n+Team costs 12 euros.')
    expect(changed.diff!.json!['files']).toHaveLength(1)
    const baseline = (first['pages'] as Page[]).find((page) => page.url === changed.url)!
    expect(changed.previousScrapeId).toBe(baseline.currentScrapeId)
    expect((await lab.api('GET', `/v2/scrape/${changed.currentScrapeId}`)).status).toBe(200)
    const { body } = await lab.api('GET', `/v2/monitor/${id}`)
    expect(body['data']).toMatchObject({ lastCheckSummary: third['summary'], currentCheckId: null })
    expect(await creditsUsed()).toBe(used + 9)

    const events = await receiver.whenReceived(12)
    const ofSecond = events.map((event) => event.body).filter((event) => event['id'] === second['id'])
    expect(ofSecond.map((event) => String(event['type'])).toSorted()).toEqual([
      'monitor.check.completed',
      ...Array.from({ length: 3 }, () => 'monitor.page'),
    ])
    expect(ofSecond.find((event) => event['data'][0].url === changed.url)).toMatchObject({
      success: true,
      metadata: { shop: 'x' },
      data: [
        {
          monitorId: id,
          checkId: second['id'],
          status: 'changed',
          error: null,
          isMeaningful: null,
          diff: changed.diff,
        },
      ],
    })
    expect(ofSecond.find((event) => event['type'] === 'monitor.check.completed')).toMatchObject({
      success: false,
      data: [{ monitorId: id, checkId: second['id'], status: 'partial', summary: second['summary'] }],
    })
    await expect
      .poll(async () => (await lab.api('GET', `/v2/monitor/${id}/checks`)).body['data'][1].notificationStatus)
      .toMatchObject({ webhook: { attempted: true, success: true, statusCode: 200 } })
    expect(receiver.received).toHaveLength(12)
  })

  test('compares data extracted by a language model, and judges changes by its goal', async () => {
    site.set('/shop', '<h1>Shop</h1><p>Everything you need.</p>')
    const used = await creditsUsed()
    const { id } = await createMonitor(lab.api, {
      goal: 'Tell me about prices',
      targets: [
        {
          type: 'scrape',
          urls: [site.url('/shop')],
          scrapeOptions: { formats: [{ type: 'changeTracking', modes: ['json'], prompt: 'Prices' }] },
        },
      ],
    })
    model.says((question) =>
      question.includes('Tell me about prices')
        ? { meaningful: true, confidence: 'high', reason: 'Tea got dearer', meaningfulChanges: [] }
        : { items: [{ name: 'tea', price: 3 }] },
    )
    await runCheck(lab.api, id)
    model.says((question) =>
      question.includes('Tell me about prices')
        ? { meaningful: true, confidence: 'high', reason: 'Tea got dearer', meaningfulChanges: [] }
        : { items: [{ name: 'tea', price: 4 }] },
    )
    site.set('/shop', '<h1>Shop</h1><p>All you need.</p>')

    const check = await runCheck(lab.api, id)

    expect(check['pages']).toMatchObject([
      {
        status: 'changed',
        diff: { json: { 'items[0].price': { previous: 3, current: 4 } } },
        snapshot: { json: { items: [{ name: 'tea', price: 4 }] } },
        judgment: { meaningful: true, confidence: 'high', reason: 'Tea got dearer' },
        metadata: { creditsUsed: 6 },
      },
    ])
    expect(check['pages'][0].diff.text).toBeUndefined()
    expect(await creditsUsed()).toBe(used + 11)
  })

  test.each([undefined, ' '])('judges changes without a goal (%j)', async (goal) => {
    site.set('/shop', '<p>Closed on Sundays.</p>')
    const target = { type: 'scrape', urls: [site.url('/shop')] }
    const { id } = await createMonitor(lab.api, { goal, judgeEnabled: true, targets: [target] })
    let asked = ''
    model.says((question) => {
      asked = question
      return { meaningful: true, confidence: 'low', reason: 'Other days', meaningfulChanges: [] }
    })
    await runCheck(lab.api, id)
    site.set('/shop', '<p>Closed on Mondays.</p>')

    const check = await runCheck(lab.api, id)

    expect(check['pages']).toMatchObject([{ judgment: { meaningful: true, reason: 'Other days' } }])
    expect(asked).toContain('Decide whether the change matters.')
  })

  test('of a search reports new results, each judged once by its goal, and runs equal queries once', async () => {
    const scrape = async (path: string, words: string): Promise<void> => {
      site.set(path, `<h1>${words}</h1><p>The zeppelin ${words} lands at noon in the old harbour.</p>`)
      expect((await lab.api('POST', '/v2/scrape', { url: site.url(path), maxAge: 0 })).status).toBe(200)
    }
    await scrape('/zeppelin/1', 'Aurora')
    const { id, estimatedCreditsPerMonth } = await createMonitor(lab.api, {
      goal: 'Airships that are new',
      targets: [{ type: 'search', queries: ['zeppelin', 'Zeppelin '], maxResults: 5 }],
    })
    const used = await creditsUsed()
    model.says((question) => ({
      meaningful: question.includes('Borealis'),
      confidence: 'high',
      reason: 'An airship',
      meaningfulChanges: [],
    }))

    const first = await runCheck(lab.api, id)
    await scrape('/zeppelin/2', 'Borealis')
    const second = await runCheck(lab.api, id)

    expect(estimatedCreditsPerMonth).toBe(30 * 7)
    expect(pathsOf(first)).toEqual({ '/zeppelin/1': 'new' })
    expect(pathsOf(second)).toEqual({ '/zeppelin/1': 'same', '/zeppelin/2': 'new' })
    expect(second['targetResults']).toMatchObject([{ type: 'search', resultCount: 2, matches: 1, searchCredits: 2 }])
    expect(second['pages'].find((page: Page) => page.status === 'new').judgment).toMatchObject({ meaningful: true })
    // Two searches, two judgments, and the page scraped meanwhile.
    expect(await creditsUsed()).toBe(used + 3 + 3 + 1)
  })

  const apiOf = async (team: string): Promise<Lab['api']> => {
    const { body } = await lab.api('POST', '/v2/team/keys', { team })
    return async (method, path, json) => lab.api(method, path, json, { authorization: `Bearer ${body['key']}` })
  }

  test('has the warnings of its searches', async () => {
    const api = await apiOf('searchers')
    const { id } = await createMonitor(api, { goal: 'Airships', targets: [{ type: 'search', queries: ['airship'] }] })

    const { targetResults } = await runCheck(api, id)

    expect(targetResults).toMatchObject([{ warning: expect.stringContaining('has no pages of this team yet') }])
  })

  test('never overspends: a page that costs more than expected fails and costs nothing', async () => {
    const api = await apiOf('thrifty')
    site.set('/dear', '<h1>Plans</h1><p>Basic is free.</p>')
    model.says(() => ({ meaningful: true, confidence: 'high', reason: 'Dearer', meaningfulChanges: [] }))
    const { id } = await createMonitor(api, {
      goal: 'Prices',
      targets: [{ type: 'scrape', urls: [site.url('/dear')] }],
    })
    await lab.api('PATCH', '/v2/teams/thrifty', { credits: 2 })

    await runCheck(api, id)
    site.set('/dear', '<h1>Plans</h1><p>Basic costs 3 euros.</p>')
    const refused = await runCheck(api, id)
    const between = (await api('GET', '/v2/team/credit-usage')).body['data']
    await lab.api('PATCH', '/v2/teams/thrifty', { credits: 2 })
    const paid = await runCheck(api, id)

    expect(refused).toMatchObject({ status: 'failed', actualCredits: 0, billingStatus: 'released' })
    expect(refused['pages']).toMatchObject([
      { status: 'error', error: expect.stringContaining('INSUFFICIENT_CREDITS'), diff: null, currentScrapeId: null },
    ])
    expect(between).toMatchObject({ remainingCredits: 1, reservedCredits: 0 })
    expect(paid).toMatchObject({ status: 'completed', estimatedCredits: 1, reservedCredits: 2, actualCredits: 2 })
    expect(paid['pages']).toMatchObject([{ status: 'changed', judgment: { reason: 'Dearer' } }])
    expect((await api('GET', '/v2/team/credit-usage')).body['data']).toMatchObject({
      remainingCredits: 0,
      reservedCredits: 0,
    })
  })

  test('of a team without credits skips its checks and costs nothing', async () => {
    const api = await apiOf('poor')
    const { id } = await createMonitor(api, { targets: [{ type: 'scrape', urls: [site.url('/shop')] }] })
    await lab.api('PATCH', '/v2/teams/poor', { credits: 0 })

    const answer = await api('POST', `/v2/monitor/${id}/run`)

    expect(answer).toMatchObject({ status: 402, body: { code: 'INSUFFICIENT_CREDITS' } })
    expect((await api('GET', `/v2/monitor/${id}/checks`)).body['data']).toEqual([])
  })
})
