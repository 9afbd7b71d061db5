import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { currentWork, runAs } from '../../src/kit/current-work.ts'
import { deadAfterSeconds, taskTakeoverSeconds } from '../../src/nodes/node-liveness.ts'
import { correctTimes } from '../../src/queue/correct-times.ts'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import type { TaskQueues } from '../../src/queue/task-queues.ts'
import type { Queue } from '../../src/queue/queue.ts'
import type { Store } from '../../src/store/store.ts'
import { openStore } from '../../src/store/open.ts'
import { storeUnavailable } from '../../src/store/unavailable.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

interface Greeting {
  readonly to: string
}

const storeKinds = ['PGlite', 'PostgreSQL'] as const

describe.each(storeKinds)('tasks, in %s', (storeKind) => {
  const undo = new AsyncDisposableStack()
  let store: Store
  let queues: TaskQueues
  let databaseUrl: string | undefined
  let dataDir = ''
  const errors: unknown[] = []

  const open = async (): Promise<void> => {
    store = await openStore({ dataDir, databaseUrl })
    queues = await openTaskQueues({ store, onError: (error) => errors.push(error) })
  }

  /** Uses the database while no server runs. */
  const openWithoutWorkers = async (use: (db: Store['db']) => Promise<void>): Promise<void> => {
    await using stored = await openStore({ dataDir, databaseUrl })
    await use(stored.db)
  }

  const close = async (): Promise<void> => {
    await queues[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  }

  beforeAll(async () => {
    dataDir = undo.use(await temporaryFolder()).path
    if (storeKind === 'PostgreSQL') databaseUrl = undo.use(await (await sharedPostgres()).createDatabase()).url
    await open()
  })

  afterAll(async () => {
    await close()
    await undo.disposeAsync()
    expect(errors).toEqual([])
  })

  test('are part of the request that sent them, also when they fail and send others', async () => {
    const queue: Queue<Greeting> = { name: 'origin', expireSeconds: 30 }
    const seen: unknown[] = []
    const note = (step: string, data: Greeting): void => void seen.push([step, data, currentWork()?.requestId])
    const done = Promise.withResolvers<void>()
    const onExhausted = async (data: Greeting): Promise<void> => {
      note('failed', data)
      done.resolve()
    }
    await queues.work(queue, { concurrency: 1, onExhausted }, async (data) => {
      note('run', data)
      if (data.to === 'b') throw new Error('fails')
      await queues.send(queue, { to: 'b' })
    })
    await runAs({ requestId: 'r1', span: undefined }, async () => queues.send(queue, { to: 'a' }))
    await done.promise

    expect(seen).toEqual([
      ['run', { to: 'a' }, 'r1'],
      ['run', { to: 'b' }, 'r1'],
      ['failed', { to: 'b' }, 'r1'],
    ])
  })

  test('run on the server that sent them, within the concurrency limit', async () => {
    const queue: Queue<Greeting> = { name: 'greet', expireSeconds: 30 }
    const greeted: string[] = []
    let running = 0
    let most = 0
    const done = Promise.withResolvers<void>()
    await queues.work(queue, { concurrency: 3 }, async ({ to }) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      greeted.push(to)
      if (greeted.length === 10) done.resolve()
    })

    await queues.sendMany(
      queue,
      Array.from({ length: 10 }, (_, index) => ({ to: `guest ${index}` })),
    )
    await done.promise

    expect(greeted.toSorted()).toEqual(Array.from({ length: 10 }, (_, index) => `guest ${index}`))
    expect(most).toBeLessThanOrEqual(3)
  })

  test('are retried after the delays of their queue, then passed to onExhausted', async () => {
    const queue: Queue<Greeting> = { name: 'fail', retryDelaysSeconds: [0.2, 0.4], expireSeconds: 30 }
    const attempts: { readonly attempt: number; readonly at: number }[] = []
    const given = Promise.withResolvers<{ to: string; error: unknown }>()
    const onExhausted = async ({ to }: Greeting, error: unknown): Promise<void> => given.resolve({ to, error })
    await queues.work(queue, { concurrency: 1, onExhausted }, async (_data, { attempt }) => {
      attempts.push({ attempt, at: Date.now() })
      throw new Error(`try ${attempt}`)
    })

    await queues.send(queue, { to: 'Ann' })

    expect(await given.promise).toEqual({ to: 'Ann', error: new Error('try 3') })
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(attempts[1]!.at - attempts[0]!.at).toBeGreaterThanOrEqual(200)
    expect(attempts[2]!.at - attempts[1]!.at).toBeGreaterThanOrEqual(400)
  })

  test('start with the commit of their transaction and not after a rollback', async () => {
    const queue: Queue<Greeting> = { name: 'transact', expireSeconds: 30 }
    const received = Promise.withResolvers<string>()
    await queues.work(queue, { concurrency: 1 }, async ({ to }) => received.resolve(to))

    const rolledBack = store.db.transaction().execute(async (db) => {
      await queues.send(queue, { to: 'never' }, { db })
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    await store.db.transaction().execute(async (db) => {
      await queues.send(queue, { to: 'soon' }, { db })
      await sleep(400)
    })
    const committed = performance.now()
    await queues.send(queue, { to: 'late' }, { startAfter: 5 })

    expect(await received.promise).toBe('soon')
    // Without a notification, workers would poll after up to 5 s.
    expect(performance.now() - committed).toBeLessThan(1500)
  })

  test('are retried after store outages without counting them as attempts', async () => {
    const queue: Queue<Greeting> = { name: 'away', expireSeconds: 30 }
    const done = Promise.withResolvers<number>()
    let begun = 0
    const onExhausted = async (): Promise<void> => done.reject(new Error('given up'))
    await queues.work(queue, { concurrency: 1, onExhausted }, async (_data, { attempt }) => {
      begun += 1
      if (begun < 3) throw storeUnavailable(new Error('the store is away'))
      done.resolve(attempt)
    })

    await queues.send(queue, { to: 'patience' })

    expect(await done.promise).toBe(1)
  })

  test('with the same key are deduplicated while they wait', async () => {
    const queue: Queue<Greeting> = { name: 'once', expireSeconds: 30 }
    const received: string[] = []
    const last = Promise.withResolvers<void>()
    await queues.work(queue, { concurrency: 1 }, async ({ to }) => {
      received.push(to)
      if (to === 'last') last.resolve()
    })

    for (const to of ['first', 'second']) await queues.send(queue, { to }, { singletonKey: 'same', startAfter: 0.2 })
    await queues.send(queue, { to: 'last' }, { startAfter: 0.4 })
    await last.promise

    expect(received).toEqual(['first', 'last'])
  })

  test('that crashed too many servers are passed to onExhausted', async () => {
    const queue: Queue<Greeting> = { name: 'deadly', expireSeconds: 30 }
    const given = Promise.withResolvers<Greeting>()
    // Either server may find the failed job first.
    const options = { concurrency: 1, onExhausted: async (data: Greeting) => given.resolve(data) }
    await queues.work(queue, options, async () => undefined)
    await queues.send(queue, { to: 'Ann' }, { startAfter: 3600 })

    await sql`update pgboss.job set state = 'failed', completed_on = now() where name = 'deadly'`.execute(store.db)
    await using next = await openTaskQueues({ store, onError: (error) => errors.push(error) })
    await next.work(queue, options, async () => undefined)

    expect(await given.promise).toEqual({ to: 'Ann' })
  })

  test('start in time although the clock of the database was set back since they were sent or retried', async () => {
    const queue: Queue<Greeting> = { name: 'clock', retryDelaysSeconds: [1, 600, 900], expireSeconds: 30 }
    const greeted: string[] = []
    const work = async (): Promise<void> =>
      queues.work(queue, { concurrency: 3 }, async ({ to }) => void greeted.push(to))
    await work()
    for (const to of ['sent', 'requeued', 'retried', 'later']) await queues.send(queue, { to }, { startAfter: 600 })
    await close()
    await openWithoutWorkers(async (db) => {
      // Less than the longest delay of the queue.
      const ahead = sql`interval '10 minutes'`
      await sql`update pgboss.job set created_on = now() + ${ahead}, start_after = now() + ${ahead}
        where name = 'clock' and data->>'to' = 'sent'`.execute(db)
      await sql`update pgboss.job set state = 'retry', start_after = now() + ${ahead}
        where name = 'clock' and data->>'to' = 'requeued'`.execute(db)
      await sql`update pgboss.job set state = 'retry', started_on = now(), start_after = now() + ${ahead},
        output = '{"tries":1}' where name = 'clock' and data->>'to' = 'retried'`.execute(db)
    })
    await open()

    await work()

    await expect.poll(() => greeted.toSorted(), { timeout: 5000 }).toEqual(['requeued', 'retried', 'sent'])
  })

  test.runIf(storeKind === 'PostgreSQL')(
    'of a lost server start in time although its clock was ahead (skipped in PGlite: one server)',
    async () => {
      const queue: Queue<Greeting> = { name: 'ahead', expireSeconds: 30 }
      await queues.work(queue, { concurrency: 1 }, async () => undefined)
      await queues.send(queue, { to: 'Ann' }, { startAfter: 3600 })
      await sql`update pgboss.job set state = 'active', heartbeat_on = now() + interval '1 hour' where name = 'ahead'`.execute(
        store.db,
      )

      await correctTimes(store.db, queue)

      const beats = sql<{ isPast: boolean }>`
      select heartbeat_on <= now() as "isPast" from pgboss.job where name = 'ahead'`
      expect((await beats.execute(store.db)).rows).toEqual([{ isPast: true }])
    },
  )

  test('that a stopping server has started run on the next one', async () => {
    const queue: Queue<Greeting> = { name: 'stop', expireSeconds: 30 }
    const begun = Promise.withResolvers<void>()
    await queues.work(queue, { concurrency: 1 }, async (_data, { signal }) => {
      begun.resolve()
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    })
    await queues.send(queue, { to: 'patience' })
    await begun.promise

    await close()
    await open()
    const done = Promise.withResolvers<{ to: string; attempt: number }>()
    await queues.work(queue, { concurrency: 1 }, async ({ to }, { attempt }) => done.resolve({ to, attempt }))

    // A graceful shutdown does not count as an attempt.
    expect(await done.promise).toEqual({ to: 'patience', attempt: 1 })
  })

  test.runIf(storeKind === 'PostgreSQL')(
    'whose server has gone start on another one in time (skipped in PGlite: one server)',
    async () => {
      const queue: Queue<Greeting> = { name: 'lost', expireSeconds: 30 }
      const done = Promise.withResolvers<{ to: string; attempt: number }>()
      await queues.work(queue, { concurrency: 1 }, async ({ to }, { attempt }) => done.resolve({ to, attempt }))
      await queues.send(queue, { to: 'Ann' }, { startAfter: 3600 })

      const lastBeat = sql`now() - make_interval(secs => ${taskTakeoverSeconds}::integer)`
      await sql`update pgboss.job set state = 'active', started_on = now(), heartbeat_on = ${lastBeat}
      where name = 'lost'`.execute(store.db)
      const startedMs = performance.now()

      expect(await done.promise).toEqual({ to: 'Ann', attempt: 2 })
      expect(taskTakeoverSeconds * 1000 + performance.now() - startedMs).toBeLessThan(deadAfterSeconds * 1000)
    },
  )
})
