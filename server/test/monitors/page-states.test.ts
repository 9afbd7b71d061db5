import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { endCheck } from '../../src/monitors/check-account.ts'
import { claimCheck, insertCheck, type CheckRow } from '../../src/monitors/queries/checks.ts'
import { insertMonitor, sweepMonitors } from '../../src/monitors/queries/monitors.ts'
import { recordPage } from '../../src/monitors/queries/pages.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'
import { plainMonitor } from './fixture.ts'

describe.each(['PGlite', 'PostgreSQL'] as const)('states of pages of monitors, in %s', (storeKind) => {
  const undo = new AsyncDisposableStack()
  let store: Store

  beforeAll(async () => {
    const database = storeKind === 'PostgreSQL' ? undo.use(await (await sharedPostgres()).createDatabase()) : undefined
    const databaseUrl = database?.url
    store = undo.use(await openStore({ dataDir: undo.use(await temporaryFolder()).path, databaseUrl }))
  })
  afterAll(async () => undo.disposeAsync())

  /** Starts a check of a monitor with one target and a retention of 7 days. */
  const startCheck = async (): Promise<{ check: CheckRow; targetId: string }> => {
    const { team, key } = await makeTeam(store.db)
    const [monitorId, targetId] = [uuidV7(), uuidV7()]
    const targets = [{ id: targetId, type: 'scrape' as const, urls: ['https://a.example/'] }]
    await insertMonitor(
      store.db,
      plainMonitor({ id: monitorId, teamId: team.id, apiKeyId: key.id, targets, retentionDays: 7 }),
    )
    const facts = { monitorId, teamId: team.id, scheduledFor: new Date(), estimatedCredits: 1 }
    const { id } = (await insertCheck(store.db, { ...facts, trigger: 'manual', status: 'queued' }))!
    return { check: (await claimCheck(store.db, id, uuidV7()))!, targetId }
  }

  /** Stores the result of a page named `urlHash`, and its state if there is one. */
  const record = async (
    check: CheckRow,
    page: { targetId: string; urlHash: string },
    state?: { isGone: boolean; scrapeId: string | undefined },
  ): Promise<boolean> => {
    const none = { previousScrapeId: undefined, currentScrapeId: undefined, statusCode: undefined, error: undefined }
    const key = { ...page, url: `https://a.example/${page.urlHash}` }
    const facts = { id: uuidV7(), checkId: check.id, status: 'same' as const, credits: 0 }
    const result = { ...none, ...key, ...facts, judgment: undefined, diff: undefined, snapshot: undefined }
    const saved = state && { ...key, ...state, monitorId: check.monitorId, markdown: '', extracted: undefined }
    return recordPage(store.db, check, result, saved)
  }

  const statesOf = async ({ monitorId }: CheckRow): Promise<readonly string[]> => {
    const query = store.db.selectFrom('monitorState').select('urlHash').where('monitorId', '=', monitorId)
    return (await query.execute()).map(({ urlHash }) => urlHash).toSorted()
  }

  test('are kept as long as their monitor has the target', async () => {
    const { check, targetId } = await startCheck()
    const state = { isGone: false, scrapeId: uuidV7() }
    await record(check, { targetId, urlHash: 'kept' }, state)
    await record(check, { targetId: uuidV7(), urlHash: 'of a former target' }, state)

    await sweepMonitors(store.db)

    expect(await statesOf(check)).toEqual(['kept'])
  })

  test('that vanished are kept for the retention time before the last check', async () => {
    const { check, targetId } = await startCheck()
    const pages = ['removed', 'removed and listed', 'former result', 'known result', 'not listed', 'removed lately']
    for (const urlHash of pages) {
      const scrapeId = urlHash.includes('result') ? undefined : uuidV7()
      await record(check, { targetId, urlHash }, { isGone: urlHash.includes('removed'), scrapeId })
    }
    const age = async (days: number, urlHashes: readonly string[]): Promise<unknown> =>
      store.db
        .updateTable('monitorState')
        .set({ checkedAt: sql<Date>`now() - make_interval(days => ${days}::integer)` })
        .where('monitorId', '=', check.monitorId)
        .where('urlHash', 'in', urlHashes)
        .execute()
    await age(8, pages)
    await age(6, ['removed lately'])
    await store.db.deleteFrom('monitorPage').where('checkId', '=', check.id).execute()
    for (const urlHash of ['removed and listed', 'known result']) await record(check, { targetId, urlHash })

    await sweepMonitors(store.db)
    // The check may still list them.
    expect(await statesOf(check)).toEqual(pages.toSorted())

    const summary = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 }
    await endCheck(store.db, check, { status: 'completed', summary, targetResults: [], error: undefined, credits: 0 })
    await sweepMonitors(store.db)
    expect(await statesOf(check)).toEqual(['known result', 'not listed', 'removed and listed', 'removed lately'])
  })

  test('that vanished are kept while their monitor is paused', async () => {
    const { check, targetId } = await startCheck()
    await record(check, { targetId, urlHash: 'removed' }, { isGone: true, scrapeId: uuidV7() })
    const summary = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 }
    await endCheck(store.db, check, { status: 'completed', summary, targetResults: [], error: undefined, credits: 0 })
    const yearAgo = sql<Date>`now() - interval '1 year'`
    await store.db.updateTable('monitorState').set({ checkedAt: yearAgo }).execute()
    await store.db.updateTable('monitorCheck').set({ createdAt: yearAgo, finishedAt: yearAgo }).execute()

    await sweepMonitors(store.db)

    expect(await statesOf(check)).toEqual(['removed'])
  })
})
