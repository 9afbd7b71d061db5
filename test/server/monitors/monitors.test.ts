import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckPage as Page } from '../../../src/contract.ts'
import { startLab, type Answer, type Lab } from '../../lab/lab.ts'
import { sharedPostgres } from '../../lab/shared-postgres.ts'
import { createMonitor, runCheck, startChangingSite, type ChangingSite } from './world.ts'

describe.each(['PGlite', 'PostgreSQL'] as const)('a monitor, in %s', (place) => {
  const undo = new AsyncDisposableStack()
  let lab: Lab
  let site: ChangingSite

  beforeAll(async () => {
    const database = place === 'PostgreSQL' ? undo.use(await (await sharedPostgres()).createDatabase()) : undefined
    site = undo.use(await startChangingSite())
    lab = undo.use(await startLab({ warm: 0, databaseUrl: database?.url }))
  })
  afterAll(async () => undo.disposeAsync())

  test('tells new, same, changed and removed pages, with what changed and what it cost', async () => {
    site.set('/a', '<h1>Plans</h1><p>Basic is free.</p><p>Team costs 10 euros.</p>')
    site.set('/b', '<h1>About</h1><p>Nothing to see.</p>')
    site.set('/broken', 503)
    const { id } = await createMonitor(lab.api, {
      targets: [{ type: 'scrape', urls: [site.url('/a'), site.url('/b'), site.url('/broken')] }],
    })

    const first = await runCheck(lab.api, id)
    site.set('/a', '<h1>Plans</h1><p>Basic is free.</p><p>Team costs 12 euros.</p>')
    const second = await runCheck(lab.api, id)
    site.set('/b', undefined)
    const third = await runCheck(lab.api, id)

    const states = ({ pages }: Answer['body']) =>
      Object.fromEntries((pages as Page[]).map((page) => [new URL(page.url).pathname, page.status]))
    expect([first, second, third].map(states)).toEqual([
      { '/a': 'new', '/b': 'new', '/broken': 'error' },
      { '/a': 'changed', '/b': 'same', '/broken': 'error' },
      { '/a': 'same', '/b': 'removed', '/broken': 'error' },
    ])
    expect(second).toMatchObject({
      status: 'partial',
      trigger: 'manual',
      billingStatus: 'confirmed',
      estimatedCredits: 3,
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
  })
})
