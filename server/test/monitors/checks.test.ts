import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import { Mailer } from '../../src/monitors/mail/mailer.ts'
import { checkQueue } from '../../src/monitors/check-queue.ts'
import { Monitors } from '../../src/monitors/monitors.ts'
import { runCheck } from '../../src/monitors/run-check.ts'
import { startDueChecks } from '../../src/monitors/start-due-checks.ts'
import { reserveCheck, endCheck } from '../../src/monitors/check-account.ts'
import { Billing } from '../../src/billing/billing.ts'
import { listLedger } from '../billing/list-ledger.ts'
import { claimCheck, insertCheck, listChecks, releaseChecks, type CheckRow } from '../../src/monitors/queries/checks.ts'
import { recordPage } from '../../src/monitors/queries/pages.ts'
import { findMonitor, insertMonitor, sweepMonitors, updateMonitor } from '../../src/monitors/queries/monitors.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { findTeam } from '../../src/teams/team-queries.ts'
import { startMailServer } from '../../../test/lab/mail-server.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'
import { plainMonitor } from './fixture.ts'
import { unavailable } from '../store/unavailable-store.ts'

const now = new Date('2026-03-06T10:00:30Z')
function daysAgo(days: number): Date {
  return new Date(now.getTime() - days * 86_400_000)
}

describe.each(['PGlite', 'PostgreSQL'] as const)('checks of monitors, in %s', (storeKind) => {
  const undo = new AsyncDisposableStack()
  let store: Store
  let billing: Billing
  let deps: Parameters<typeof startDueChecks>[0]

  beforeAll(async () => {
    const database = storeKind === 'PostgreSQL' ? undo.use(await (await sharedPostgres()).createDatabase()) : undefined
    const databaseUrl = database?.url
    store = undo.use(await openStore({ dataDir: undo.use(await temporaryFolder()).path, databaseUrl }))
    const onError = (error: unknown): void => expect.fail(String(error))
    const queues = undo.use(await openTaskQueues({ store, onError }))
    // No worker runs, so the checks stay queued.
    await queues.work(checkQueue, { concurrency: 1 }, async () => undefined)
    billing = new Billing({ store, nodeId: uuidV7() })
    deps = { store, queues, scrapes: { estimate: () => 1 }, searches: { price: () => 2 }, onError }
  })
  afterAll(async () => undo.disposeAsync())

  const makeMonitor = async (dueAt: Date | null, credits?: number): Promise<{ id: string; teamId: string }> => {
    const { team, key } = await makeTeam(store.db, credits === undefined ? {} : { credits })
    const id = uuidV7()
    await insertMonitor(store.db, plainMonitor({ id, teamId: team.id, apiKeyId: key.id, nextRunAt: dueAt }))
    return { id, teamId: team.id }
  }
  const checksOf = async (monitorId: string) =>
    listChecks(store.db, { monitorId, limit: 100, offset: 0 }, (error) => expect.fail(error.message))

  const startCheck = async (credits?: number): Promise<CheckRow> => {
    const { id: monitorId, teamId } = await makeMonitor(null, credits)
    const facts = { monitorId, teamId, trigger: 'manual', scheduledFor: now, estimatedCredits: 5 } as const
    return (await insertCheck(store.db, { ...facts, status: 'queued' }))!
  }
  const pageOf = (check: CheckRow) => ({
    id: uuidV7(),
    checkId: check.id,
    targetId: uuidV7(),
    urlHash: 'hash',
    url: 'https://a.example/',
    status: 'new' as const,
    previousScrapeId: undefined,
    currentScrapeId: undefined,
    statusCode: 200,
    error: undefined,
    credits: 1,
    judgment: undefined,
    diff: undefined,
    snapshot: undefined,
  })
  const noPages = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 }
  const ending = {
    status: 'completed' as const,
    summary: noPages,
    targetResults: [],
    error: undefined,
    credits: 3,
  }
  const expireLease = async ({ id }: Pick<CheckRow, 'id'>) =>
    store.db
      .updateTable('monitorCheck')
      .set({ leaseExpiresAt: daysAgo(1) })
      .where('id', '=', id)
      .execute()

  test('that were missed while no server ran are replaced by a single one', async () => {
    const { id } = await makeMonitor(daysAgo(3))

    const started = [await startDueChecks(deps, now), await startDueChecks(deps, now)]

    expect(started).toEqual([1, 0])
    expect(await checksOf(id)).toMatchObject([
      { status: 'queued', trigger: 'scheduled', scheduledFor: daysAgo(3), estimatedCredits: 1 },
    ])
    expect((await findMonitor(store.db, id))?.nextRunAt).toEqual(new Date('2026-03-06T11:00:00Z'))
  })

  test('are due by the clock of the database', async () => {
    const { id } = await makeMonitor(new Date(Date.now() - 60_000))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 72 * 3_600_000 })

    await startDueChecks(deps).finally(() => vi.useRealTimers())

    const { nextRunAt } = (await findMonitor(store.db, id)) ?? {}
    expect(nextRunAt?.getTime()).toBeLessThan(Date.now() + 3_600_001)
  })

  test('are started once, even if several servers try', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(async () => makeMonitor(daysAgo(0))))

    const started = await Promise.all([startDueChecks(deps, now), startDueChecks(deps, now), startDueChecks(deps, now)])

    expect(started.reduce((sum, each) => sum + each)).toBe(4)
    for (const { id } of made) expect(await checksOf(id)).toHaveLength(1)
  })

  test('that overlap the previous one are stored as skipped', async () => {
    const { id } = await makeMonitor(daysAgo(0))
    await startDueChecks(deps, now)

    const started = await startDueChecks(deps, new Date('2026-03-06T11:00:05Z'))

    expect(started).toBe(0)
    expect((await checksOf(id)).map(({ status }) => status).toSorted()).toEqual(['queued', 'skipped_overlap'])
  })

  test('that cannot start do not delay others', async () => {
    const [broken, { id }] = [await makeMonitor(daysAgo(2)), await makeMonitor(daysAgo(1))]
    await sql`update monitor set targets = '{}' where id = ${broken.id}`.execute(store.db)
    const errors: string[] = []

    const started = await startDueChecks({ ...deps, onError: (_error, action) => errors.push(action) }, now)

    expect(started).toBe(1)
    expect(await checksOf(id)).toHaveLength(1)
    expect(errors).toEqual([`starting a check of the monitor ${broken.id}`])
    await store.db.updateTable('monitor').set({ status: 'paused' }).where('id', '=', broken.id).execute()
  })

  test('of a monitor that cannot be read fail and name its row; it is left out of lists and can be deleted', async () => {
    const { id, monitorId, teamId } = await startCheck()
    await sql`update monitor set targets = '{}' where id = ${monitorId}`.execute(store.db)
    const errors: unknown[] = []
    const monitors = new Monitors({ ...deps, onError: (error: unknown) => errors.push(error) } as never)
    const reason = `Column targets of row ${monitorId} in table monitor cannot be read`

    await runCheck({ ...deps, billing, nodeId: uuidV7() } as never, id, AbortSignal.timeout(20_000))

    expect(await checksOf(monitorId)).toMatchObject([{ status: 'failed', error: expect.stringContaining(reason) }])
    expect(await monitors.list({ teamId, limit: 10, offset: 0 })).toEqual([])
    expect(errors).toMatchObject([{ message: expect.stringContaining(reason) }])
    await expect(monitors.get(monitorId, teamId)).rejects.toMatchObject({ code: 'STORED_VALUE_INVALID', status: 500 })
    await monitors.delete(monitorId, teamId)
    await expect(monitors.get(monitorId, teamId)).rejects.toMatchObject({ code: 'MONITOR_NOT_FOUND' })
  })

  test('a team has at most `maxMonitors` monitors, also if it creates two at once', async () => {
    const { team, key } = await makeTeam(store.db)
    const monitors = new Monitors({
      ...deps,
      webhooks: { assertPermitted: async () => undefined },
      mailer: undefined,
      maxMonitors: 2,
    } as never)
    const { name, targets, cron, timezone } = plainMonitor({ id: uuidV7(), teamId: team.id, apiKeyId: key.id })
    const request = { name, targets, schedule: { cron, timezone }, notification: {}, retentionDays: 30 } as never
    const create = async () => monitors.create(request, { teamId: team.id, apiKeyId: key.id, baseUrl: '' })

    const { id } = await create()
    const ends = await Promise.allSettled([create(), create()])
    await monitors.delete(id, team.id)

    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(ends).toContainEqual(expect.objectContaining({ reason: expect.objectContaining({ status: 409 }) }))
    await expect(create()).resolves.toMatchObject({ name })
    await expect(create()).rejects.toMatchObject({ code: 'MONITOR_QUOTA_EXCEEDED' })
  })

  test('of paused and deleted monitors are not started', async () => {
    const { id } = await makeMonitor(daysAgo(1))
    await store.db.updateTable('monitor').set({ status: 'paused' }).where('id', '=', id).execute()

    expect(await startDueChecks(deps, now)).toBe(0)
  })

  test('run on one server at a time: after losing its lease, a server can no longer write', async () => {
    const check = await startCheck()
    const [first, second] = [uuidV7(), uuidV7()]

    const claimed = (await claimCheck(store.db, check.id, first))!
    const refused = await claimCheck(store.db, check.id, second)
    await expireLease(check)
    const taken = (await claimCheck(store.db, check.id, second))!

    expect(refused).toBeUndefined()
    expect(taken.fence).toBe(claimed.fence + 1)
    expect(await recordPage(store.db, claimed, pageOf(check), undefined)).toBe(false)
    expect(await endCheck(store.db, claimed, ending)).toBeUndefined()
    const page = pageOf(check)
    expect(await recordPage(store.db, taken, page, undefined)).toBe(true)
    expect(await recordPage(store.db, taken, { ...page, id: uuidV7() }, undefined)).toBe(false)
  })

  test('continue after an outage of the database and after a shutdown, however many there are', async () => {
    const { id, monitorId } = await startCheck()
    const nodeId = uuidV7()
    const [withoutPages, away] = [unavailable(store, /monitor_page/), unavailable(store, /./)]
    const run = async (signal: AbortSignal, different: object = {}) =>
      runCheck({ ...deps, billing, nodeId, ...different } as never, id, signal)
    const outage = { code: 'STORE_UNAVAILABLE' }

    for (let count = 0; count < 6; count += 1) {
      const signal = AbortSignal.timeout(20_000)
      await expect(run(signal, { store: withoutPages })).rejects.toMatchObject(outage)
      await expect(run(signal, { billing: new Billing({ store: away, nodeId }) })).rejects.toMatchObject(outage)
      await expect(run(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
    }

    expect(await checksOf(monitorId)).toMatchObject([
      { status: 'running', crashes: 0, leaseNodeId: undefined, error: undefined },
    ])
  })

  test('fail after ten crashes of their servers', async () => {
    const { id, monitorId } = await startCheck()
    const [dead, restarted] = [uuidV7(), uuidV7()]
    for (let count = 0; count < 5; count += 1) {
      await claimCheck(store.db, id, dead)
      await expireLease({ id })
      await claimCheck(store.db, id, restarted)
      await releaseChecks(store.db, { nodeId: restarted })
    }

    await runCheck({ ...deps, billing, nodeId: uuidV7() } as never, id, AbortSignal.timeout(20_000))

    const error = 'The server crashed 10 times during the check'
    expect(await checksOf(monitorId)).toMatchObject([{ status: 'failed', error, actualCredits: 0 }])
  })

  test('are billed once, and their hold is released', async () => {
    const check = await startCheck(10)
    const order = { id: check.id, teamId: check.teamId, credits: 5 }
    const lease = (await claimCheck(store.db, check.id, uuidV7()))!

    const reserved = [await reserveCheck(store.db, order), await reserveCheck(store.db, order)]
    const between = await findTeam(store.db, check.teamId)
    const settled = [await endCheck(store.db, lease, ending), await endCheck(store.db, lease, ending)]

    expect(reserved).toEqual([true, true])
    expect(between).toMatchObject({ credits: 10, reservedCredits: 5 })
    expect(settled).toEqual([3, undefined])
    expect(await findTeam(store.db, check.teamId)).toMatchObject({ credits: 7, reservedCredits: 0 })
    expect(await listLedger(store.db, { teamId: check.teamId })).toMatchObject([
      { kind: 'monitor', subjectId: check.id, credits: 3 },
    ])
  })

  test('that the team cannot pay for hold no credits', async () => {
    const check = await startCheck(4)

    expect(await reserveCheck(store.db, { id: check.id, teamId: check.teamId, credits: 5 })).toBe(false)
    expect(await findTeam(store.db, check.teamId)).toMatchObject({ credits: 4, reservedCredits: 0 })
  })

  test('are not started if they cost more than the available credits', async () => {
    const { id, monitorId, teamId } = await startCheck(5)
    const urls = Array.from({ length: 6 }, (_, index) => `https://a.example/${index}`)
    const targets = [{ id: uuidV7(), type: 'scrape' as const, urls }]
    await updateMonitor(store.db, { id: monitorId, teamId }, { targets })

    await runCheck({ ...deps, billing, nodeId: uuidV7() } as never, id, AbortSignal.timeout(20_000))

    expect(await checksOf(monitorId)).toMatchObject([
      {
        status: 'skipped_no_credits',
        error: 'The check needs 6 credits, but the team has fewer left',
        actualCredits: 0,
      },
    ])
  })

  test('are deleted after the retention time of their monitor', async () => {
    const [old, young] = [await startCheck(), await startCheck()]
    for (const check of [old, young]) {
      await endCheck(store.db, (await claimCheck(store.db, check.id, uuidV7()))!, ending)
    }
    await store.db
      .updateTable('monitorCheck')
      .set({ createdAt: sql<Date>`now() - interval '8 days'` })
      .where('id', '=', old.id)
      .execute()

    await sweepMonitors(store.db)

    expect(await checksOf(old.monitorId)).toEqual([])
    expect(await checksOf(young.monitorId)).toHaveLength(1)
  })

  test('are mailed once, repeated failures are not, and emails that cannot be sent are retried, then dropped', async () => {
    // The first email is rejected once, the second at each of its three attempts.
    await using server = await startMailServer({ refuses: (count) => count === 1 || count > 2 })
    const transport = createTransport({ url: server.url })
    const publicUrl = 'http://bowline.example'
    const settings = { publicUrl, from: 'bot@a.example', trusted: ['a.example'], retryDelaysSeconds: [0.1, 0.1] }
    const mailer = await Mailer.open({ ...deps, transport, ...settings })
    const { id, teamId } = await makeMonitor(null)
    const email = { enabled: true, recipients: ['one@a.example'], includeDiffs: false }
    await updateMonitor(store.db, { id, teamId }, { notification: { email } })
    await mailer.subscribe(store.db, { id, teamId }, { email })
    const monitor = (await findMonitor(store.db, id))!
    const summary = { totalPages: 1, same: 0, changed: 1, new: 0, removed: 0, error: 0 }
    const tell = async (): Promise<void> => {
      const facts = {
        trigger: 'manual',
        scheduledFor: now,
        estimatedCredits: 1,
        summary,
      } as const
      const check = (await insertCheck(store.db, { ...facts, monitorId: id, teamId, status: 'completed' }))!
      const ended = { id: check.id, status: 'completed', summary } as const
      await mailer.enqueueCheckMails(store.db, monitor, ended)
      await mailer.enqueueCheckMails(store.db, monitor, ended)
    }
    const mails = async () => store.db.selectFrom('mail').select(['status', 'error']).orderBy('id').execute()

    await tell()
    await expect.poll(mails, { timeout: 20_000 }).toMatchObject([{ status: 'sent' }])
    await tell()
    await expect.poll(mails, { timeout: 20_000 }).toMatchObject([{ status: 'sent' }, { status: 'failed' }])
    const broken = { ...summary, changed: 0, error: 1 }
    const before = { ...monitor, lastRunAt: now, lastCheckSummary: broken }
    await mailer.enqueueCheckMails(store.db, before, { id: uuidV7(), status: 'failed', summary: broken })
    expect(await mails()).toHaveLength(2)

    expect(server.mails.map(({ to }) => to)).toEqual(['one@a.example'])
    expect((await mails())[1]?.error).toContain('Try later')
  })
})
