import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { FairQueue } from '../../src/kit/fair-queue.ts'

/** The clock of the queue, which only tasks advance. */
let nowMs = 0
beforeAll(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterAll(() => {
  vi.restoreAllMocks()
})

/** Returns a task that takes `ms` milliseconds and then adds its name to `done`. */
function takes(ms: number, name: string, done: string[]) {
  return async () => {
    await nextTurn()
    nowMs += ms
    done.push(name)
  }
}

test('an owner with many slow tasks delays others by one task', async () => {
  const queue = new FairQueue()
  const done: string[] = []
  const slow = Array.from({ length: 4 }, async (_, at) => queue.run('slow', takes(20, `slow ${at}`, done)))

  const quick = Array.from({ length: 3 }, async (_, at) => queue.run('quick', takes(0, `quick ${at}`, done)))
  await Promise.all([...slow, ...quick])

  expect(done).toEqual(['slow 0', 'quick 0', 'quick 1', 'quick 2', 'slow 1', 'slow 2', 'slow 3'])
})

test('an idle owner does not accumulate time', async () => {
  const queue = new FairQueue()
  const done: string[] = []
  const idle = queue.run('idle', takes(0, 'idle', done))
  const busy = Array.from({ length: 4 }, async (_, at) =>
    queue.run('busy', async () => {
      await takes(10, `busy ${at}`, done)()
      if (at === 2)
        back = Array.from({ length: 3 }, async (__, each) => queue.run('idle', takes(30, `back ${each}`, done)))
    }),
  )
  let back: Promise<void>[] = []
  await Promise.all([idle, ...busy])
  await Promise.all(back)

  expect(done).toEqual(['idle', 'busy 0', 'busy 1', 'busy 2', 'back 0', 'busy 3', 'back 1', 'back 2'])
})

test('the next task runs after one has failed', async () => {
  const queue = new FairQueue()

  const failed = queue.run('a', async () => Promise.reject(new Error('broken')))
  const next = queue.run('a', async () => Promise.resolve('done'))

  await expect(failed).rejects.toThrow('broken')
  await expect(next).resolves.toBe('done')
})

test('two owners that wait share two slots, whatever their tasks take', async () => {
  const queue = new FairQueue(2)
  const done: string[] = []
  const slow = Array.from({ length: 4 }, async (_, at) => queue.run('slow', takes(20, `slow ${at}`, done)))

  const quick = Array.from({ length: 2 }, async (_, at) => queue.run('quick', takes(0, `quick ${at}`, done)))
  await Promise.all([...slow, ...quick])

  expect(done).toEqual(['slow 0', 'slow 1', 'quick 0', 'slow 2', 'quick 1', 'slow 3'])
})

test('a task that is aborted while it waits does not run, and keeps no slot', async () => {
  const queue = new FairQueue()
  const done: string[] = []
  const abort = new AbortController()
  const first = queue.run('a', takes(10, 'first', done))
  const aborted = queue.run('b', takes(0, 'aborted', done), abort.signal)
  const last = queue.run('b', takes(0, 'last', done))

  abort.abort(new Error('left'))

  await expect(aborted).rejects.toThrow('left')
  await Promise.all([first, last])
  expect(done).toEqual(['first', 'last'])
  await expect(queue.run('c', takes(0, 'c', done), abort.signal)).rejects.toThrow('left')
})

test('one owner has at most its share of the slots, and others start at once', async () => {
  const queue = new FairQueue(3, 2)
  const release = Promise.withResolvers<void>()
  const started: string[] = []
  const run = async (ownerId: string, name: string): Promise<void> =>
    queue.run(ownerId, async () => {
      started.push(name)
      await release.promise
    })
  const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map(async (name) => run(name[0]!, name))
  await Promise.resolve()

  expect(started).toEqual(['a1', 'a2', 'b1'])
  release.resolve()
  await Promise.all(all)
  expect(started).toHaveLength(5)
})
