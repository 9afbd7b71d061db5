import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { currentLookupOwner } from '../../src/kit/lookup-owner.ts'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import type { Queue } from '../../src/queue/queue.ts'
import type { TaskQueues } from '../../src/queue/task-queues.ts'
import type { Store } from '../../src/store/store.ts'
import { storeUnavailable } from '../../src/store/unavailable.ts'
import { openPgliteStore, openPostgresStore } from '../../../test/lab/stores.ts'

interface Greeting {
  readonly to: string
}

describe.each(['PGlite', 'PostgreSQL'] as const)('tasks of teams, in %s', (storeKind) => {
  const undo = new AsyncDisposableStack()
  let store: Store
  let queues: TaskQueues
  const errors: unknown[] = []

  beforeAll(async () => {
    store = undo.use(await (storeKind === 'PGlite' ? openPgliteStore() : openPostgresStore()))
    queues = undo.use(await openTaskQueues({ store, onError: (error) => errors.push(error) }))
  })

  afterAll(async () => {
    await undo.disposeAsync()
    expect(errors).toEqual([])
  })

  test('of one team that never end leave slots for other teams, which also get the last one', async () => {
    const queue: Queue<Greeting> = { name: 'shared', expireSeconds: 30, isSharedByTeams: true }
    const end = Promise.withResolvers<void>()
    const started: string[] = []
    await queues.work(queue, { concurrency: 6 }, async ({ to: team }) => {
      started.push(team)
      await end.promise
    })
    // One by one, as teams do.
    const sendFor = async (team: string, count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) await queues.send(queue, { to: team }, { teamId: team })
    }
    const whenStarted = async (teams: string): Promise<void> =>
      expect.poll(() => started.toSorted().join(''), { timeout: 10_000 }).toBe(teams)

    await sendFor('a', 20)
    await whenStarted('aaa')
    await sendFor('b', 2)
    await whenStarted('aaabb')
    await sendFor('b', 20)
    await sendFor('c', 1)
    await whenStarted('aaabbc')

    end.resolve()
    await expect.poll(() => started.length, { timeout: 10_000 }).toBe(43)
  })

  test('that an earlier version queued without a team start as well', async () => {
    const queue: Queue<Greeting> = { name: 'earlier', expireSeconds: 30 }
    const both = new Set<string>()
    const done = Promise.withResolvers<void>()
    await queues.work({ ...queue, isSharedByTeams: true }, { concurrency: 2 }, async ({ to }) => {
      if (both.add(to).size === 2) done.resolve()
      await done.promise
    })

    await queues.send(queue, { to: 'earlier' })
    await queues.send({ ...queue, isSharedByTeams: true }, { to: 'now' }, { teamId: 'a' })
    await done.promise

    expect(both).toEqual(new Set(['earlier', 'now']))
  })

  test('keep their team when they are retried or requeued', async () => {
    const queue: Queue<Greeting> = {
      name: 'keeps',
      retryDelaysSeconds: [600],
      expireSeconds: 30,
      isSharedByTeams: true,
    }
    await queues.work(queue, { concurrency: 4 }, async ({ to }) => {
      throw to === 'retried' ? new Error('fails') : storeUnavailable(new Error('the store is away'))
    })

    await queues.send(queue, { to: 'retried' }, { teamId: 'a' })
    await queues.send(queue, { to: 'requeued' }, { teamId: 'b' })

    const waiting = sql<{ to: string; team: string }>`
      select data->>'to' as "to", group_id as team from pgboss.job where name = 'keeps' and state = 'retry' order by team`
    await expect
      .poll(async () => (await waiting.execute(store.db)).rows, { timeout: 10_000 })
      .toEqual([
        { to: 'retried', team: 'a' },
        { to: 'requeued', team: 'b' },
      ])
    await sql`delete from pgboss.job where name = 'keeps'`.execute(store.db)
  })

  test('count their name lookups for their team', async () => {
    const queue: Queue<Greeting> = { name: 'lookups', expireSeconds: 30, isSharedByTeams: true }
    const owner = Promise.withResolvers<string>()
    await queues.work(queue, { concurrency: 1 }, async () => owner.resolve(currentLookupOwner()))

    await queues.send(queue, { to: 'Ann' }, { teamId: 'a' })

    expect(await owner.promise).toBe('a')
  })

  test('are refused without a team in a queue that teams share', async () => {
    const queue: Queue<Greeting> = { name: 'teamless', expireSeconds: 30, isSharedByTeams: true }
    await queues.work(queue, { concurrency: 1 }, async () => undefined)

    await expect(queues.send(queue, { to: 'Ann' })).rejects.toThrow('Tasks of queue teamless need a teamId')
  })

  test.runIf(storeKind === 'PostgreSQL')(
    'of teams that share several servers each run once (skipped in PGlite: one server)',
    async () => {
      const queue: Queue<Greeting> = { name: 'spread', expireSeconds: 30, isSharedByTeams: true }
      const ran: string[] = []
      const done = Promise.withResolvers<void>()
      const run = async ({ to }: Greeting): Promise<void> => {
        ran.push(to)
        if (ran.length >= 200) done.resolve()
      }
      await using other = await openTaskQueues({ store, onError: (error) => errors.push(error) })
      await queues.work(queue, { concurrency: 8 }, run)
      await other.work(queue, { concurrency: 8 }, run)
      const names = Array.from({ length: 100 }, (_, index) => `guest ${index}`)

      await store.db.transaction().execute(async (db) => {
        for (const teamId of ['a', 'b'])
          await queues.sendMany(
            queue,
            names.map((name) => ({ to: `${teamId} ${name}` })),
            { db, teamId },
          )
      })
      await done.promise

      expect(ran.toSorted()).toEqual(['a', 'b'].flatMap((team) => names.map((name) => `${team} ${name}`)).toSorted())
    },
  )
})
