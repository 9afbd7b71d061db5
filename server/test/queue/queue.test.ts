import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openJobQueues } from '../../src/queue/open-job-queues.ts'
import type { JobQueues } from '../../src/queue/job-queues.ts'
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

describe.each(storeKinds)('jobs, in %s', (storeKind) => {
  const undo = new AsyncDisposableStack()
  let store: Store
  let jobs: JobQueues
  let databaseUrl: string | undefined
  let dataDir = ''
  const errors: unknown[] = []

  const open = async (): Promise<void> => {
    store = await openStore({ dataDir, databaseUrl })
    jobs = await openJobQueues({ store, onError: (error) => errors.push(error) })
  }

  const close = async (): Promise<void> => {
    await jobs[Symbol.asyncDispose]()
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

  test('are done by the server that was sent them, a few at a time', async () => {
    const queue: Queue<Greeting> = { name: 'greet', expireSeconds: 30 }
    const greeted: string[] = []
    let running = 0
    let most = 0
    const done = Promise.withResolvers<void>()
    await jobs.work(queue, { concurrency: 3 }, async ({ to }) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      greeted.push(to)
      if (greeted.length === 10) done.resolve()
    })

    await jobs.sendMany(
      queue,
      Array.from({ length: 10 }, (_, index) => ({ to: `guest ${index}` })),
    )
    await done.promise

    expect(greeted.toSorted()).toEqual(Array.from({ length: 10 }, (_, index) => `guest ${index}`))
    expect(most).toBeLessThanOrEqual(3)
  })

  test('are tried again after the delays of their queue, and their owner hears of the last failure', async () => {
    const queue: Queue<Greeting> = { name: 'fail', retryDelaysSeconds: [0.2, 0.4], expireSeconds: 30 }
    const attempts: { readonly attempt: number; readonly at: number }[] = []
    const given = Promise.withResolvers<{ to: string; error: unknown }>()
    const onExhausted = async ({ to }: Greeting, error: unknown): Promise<void> => given.resolve({ to, error })
    await jobs.work(queue, { concurrency: 1, onExhausted }, async (_data, { attempt }) => {
      attempts.push({ attempt, at: Date.now() })
      throw new Error(`try ${attempt}`)
    })

    await jobs.send(queue, { to: 'nobody' })

    expect(await given.promise).toEqual({ to: 'nobody', error: new Error('try 3') })
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(attempts[1]!.at - attempts[0]!.at).toBeGreaterThanOrEqual(200)
    expect(attempts[2]!.at - attempts[1]!.at).toBeGreaterThanOrEqual(400)
  })

  test('that are sent inside a transaction come and go with it', async () => {
    const queue: Queue<Greeting> = { name: 'transact', expireSeconds: 30 }
    const heard = Promise.withResolvers<string>()
    await jobs.work(queue, { concurrency: 1 }, async ({ to }) => heard.resolve(to))

    const rolledBack = store.db.transaction().execute(async (db) => {
      await jobs.send(queue, { to: 'never' }, { db })
      throw new Error('changed my mind')
    })
    await expect(rolledBack).rejects.toThrow('changed my mind')
    await store.db.transaction().execute(async (db) => {
      await jobs.send(queue, { to: 'soon' }, { db })
      await sleep(400)
    })
    const committed = performance.now()
    await jobs.send(queue, { to: 'late' }, { startAfter: 5 })

    expect(await heard.promise).toBe('soon')
    // Workers look every 2 s for what nobody tells them of.
    expect(performance.now() - committed).toBeLessThan(1500)
  })

  test('that the store keeps from being done are not given up, and their owner hears nothing of it', async () => {
    const queue: Queue<Greeting> = { name: 'away', expireSeconds: 30 }
    const done = Promise.withResolvers<number>()
    let begun = 0
    const onExhausted = async (): Promise<void> => done.reject(new Error('given up'))
    await jobs.work(queue, { concurrency: 1, onExhausted }, async (_data, { attempt }) => {
      begun += 1
      if (begun < 3) throw storeUnavailable(new Error('the store is away'))
      done.resolve(attempt)
    })

    await jobs.send(queue, { to: 'patience' })

    expect(await done.promise).toBe(1)
  })

  test('that wait under the same key are one job', async () => {
    const queue: Queue<Greeting> = { name: 'once', expireSeconds: 30 }
    const heard: string[] = []
    const last = Promise.withResolvers<void>()
    await jobs.work(queue, { concurrency: 1 }, async ({ to }) => {
      heard.push(to)
      if (to === 'last') last.resolve()
    })

    for (const to of ['first', 'second']) await jobs.send(queue, { to }, { singletonKey: 'same', startAfter: 0.2 })
    await jobs.send(queue, { to: 'last' }, { startAfter: 0.4 })
    await last.promise

    expect(heard).toEqual(['first', 'last'])
  })

  test('that too many servers died over are given up, and their owner hears of it', async () => {
    const queue: Queue<Greeting> = { name: 'deadly', expireSeconds: 30 }
    const given = Promise.withResolvers<Greeting>()
    // Either server may find it: whichever looks first after the job has failed.
    const options = { concurrency: 1, onExhausted: async (data: Greeting) => given.resolve(data) }
    await jobs.work(queue, options, async () => undefined)
    await jobs.send(queue, { to: 'nobody' }, { startAfter: 3600 })

    await sql`update pgboss.job set state = 'failed', completed_on = now() where name = 'deadly'`.execute(store.db)
    await using next = await openJobQueues({ store, onError: (error) => errors.push(error) })
    await next.work(queue, options, async () => undefined)

    expect(await given.promise).toEqual({ to: 'nobody' })
  })

  test('that a stopping server has begun are done by the next', async () => {
    const queue: Queue<Greeting> = { name: 'stop', expireSeconds: 30 }
    const begun = Promise.withResolvers<void>()
    await jobs.work(queue, { concurrency: 1 }, async (_data, { signal }) => {
      begun.resolve()
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    })
    await jobs.send(queue, { to: 'patience' })
    await begun.promise

    await close()
    await open()
    const done = Promise.withResolvers<{ to: string; attempt: number }>()
    await jobs.work(queue, { concurrency: 1 }, async ({ to }, { attempt }) => done.resolve({ to, attempt }))

    // The stop of a server in order is no attempt.
    expect(await done.promise).toEqual({ to: 'patience', attempt: 1 })
  })
})
