import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { HealthRecorder, type HealthCounts } from '../../src/nodes/health-recorder.ts'
import { listHealth, storeHealthSample, type HealthReading } from '../../src/nodes/health-samples.ts'
import { registerNode } from '../../src/nodes/node-queries.ts'
import { openStore } from '../../src/store/open.ts'

const reading: HealthReading = {
  sessions: 3,
  maxSessions: 8,
  waiting: 1,
  memoryUsed: 0.5,
  cpuUsed: 0.25,
  queueWaitSeconds: 2,
  requests: 10,
  errors: 1,
}

async function openFixture(kind: 'PGlite' | 'PostgreSQL') {
  await using undo = new AsyncDisposableStack()
  const { path: dataDir } = undo.use(await temporaryFolder())
  const database = kind === 'PGlite' ? undefined : undo.use(await (await sharedPostgres()).createDatabase())
  const store = undo.use(await openStore({ dataDir, databaseUrl: database?.url }))
  const owned = undo.move()
  return { ...store, [Symbol.asyncDispose]: async () => owned.disposeAsync() }
}

test.each(['PGlite', 'PostgreSQL'] as const)(
  'samples of several servers are combined into steps, and kept for a day, in %s',
  async (kind) => {
    await using store = await openFixture(kind)
    const { db } = store
    const [node, gone] = [uuidV7(), uuidV7()]
    await registerNode(db, { id: node, slots: 8, url: 'http://10.0.0.1:3900' })
    const age = async (by: string): Promise<void> =>
      void (await sql`update health_sample set at = at - ${by}::interval`.execute(db))
    await storeHealthSample(db, gone, reading)
    await age('23 hours')
    await storeHealthSample(db, node, { ...reading, sessions: 5, cpuUsed: 0.75, errors: 2 })
    await sql`update health_sample set at = date_trunc('hour', at) where node_id = ${node}`.execute(db)
    await db
      .insertInto('healthSample')
      .values({ at: sql<Date>`date_trunc('hour', now()) + interval '1 minute'`, nodeId: node, ...reading })
      .execute()
    const at = expect.any(Date) as Date

    const histories = await listHealth(db, { hours: 24, stepMinutes: 6 })

    expect(histories.find(({ id }) => id === node)).toEqual({
      id: node,
      url: 'http://10.0.0.1:3900',
      isAlive: true,
      points: [{ ...reading, at, sessions: 5, cpuUsed: 0.5, requests: 20, errors: 3 }],
    })
    expect(histories.find(({ id }) => id === gone)).toMatchObject({ isAlive: false, points: [reading] })
    expect(await listHealth(db, { hours: 1, stepMinutes: 1 })).toHaveLength(1)
    await age('2 hours')
    await storeHealthSample(db, node, reading)
    expect((await listHealth(db, { hours: 24, stepMinutes: 6 })).map(({ id }) => id)).toEqual([node])
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from health_sample`.execute(db)
    expect(rows[0]?.count).toBe(3)
  },
)

test('a recorder stores the increase of counters since its last sample, and survives a failing one', async () => {
  await using store = await openFixture('PGlite')
  const counts: HealthCounts = {
    sessions: 1,
    maxSessions: 4,
    waiting: 0,
    requests: 100,
    errors: 5,
    waits: 2,
    waitedSeconds: 8,
  }
  const read = [
    async () => counts,
    async () => Promise.reject(new Error('expected')),
    async () => ({ ...counts, requests: 130, errors: 6, waits: 4, waitedSeconds: 14 }),
  ]
  const errors: unknown[] = []
  using recorder = new HealthRecorder({
    db: store.db,
    nodeId: uuidV7(),
    readCounts: async () => read.shift()!(),
    onError: (error) => errors.push(error),
  })
  const pointsOf = async () =>
    (await listHealth(store.db, { hours: 1, stepMinutes: 1 })).flatMap(({ points }) => points)

  await recorder.record()
  expect(await pointsOf()).toMatchObject([{ requests: 100, errors: 5, queueWaitSeconds: 4 }])
  await sql`delete from health_sample`.execute(store.db)
  await recorder.record()
  await recorder.record()

  expect(await pointsOf()).toMatchObject([{ requests: 30, errors: 1, queueWaitSeconds: 3, sessions: 1, waiting: 0 }])
  expect(errors).toMatchObject([{ message: 'expected' }])
})

test('a server stores its health from its start, which only admins may read', async () => {
  await using lab = await startLab()
  const read = async () => lab.api('GET', '/v2/health/history?hours=1')
  await expect.poll(async () => (await read()).body['data'].length).toBe(1)
  const { body } = await read()
  const { body: member } = await lab.api('POST', '/v2/team/keys', { team: 'guests', name: 'ci' })

  expect(body).toMatchObject({ success: true, stepSeconds: 60, data: [{ isAlive: true }] })
  expect(body['data'][0].points[0]).toMatchObject({ sessions: 0, maxSessions: expect.any(Number) as number })
  const refused = await lab.api('GET', '/v2/health/history', undefined, { authorization: `Bearer ${member['key']}` })
  expect([refused.status, refused.body['code']]).toEqual([403, 'FORBIDDEN'])
})
