import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TeamQueues } from '../../src/billing/team-queues.ts'

const teamId = 'team-1'

/** Adds work that runs until `leave` is called. */
function addWork(queues: TeamQueues, options: { readonly untilMs?: number; readonly signal?: AbortSignal } = {}) {
  const left = Promise.withResolvers<void>()
  const work = { hasStarted: false, leave: left.resolve, ended: Promise.resolve() }
  const { untilMs = Infinity, signal } = options
  work.ended = queues.wait(teamId, { untilMs, signal }, async () => {
    work.hasStarted = true
    await left.promise
  })
  work.ended.catch(() => undefined)
  return work
}

test('work of a team runs in the order of its arrival', async () => {
  const queues = new TeamQueues()
  const [first, second] = [addWork(queues), addWork(queues)]
  await turn()
  expect([first.hasStarted, second.hasStarted, queues.waiting(teamId)]).toEqual([true, false, 2])

  first.leave()
  await turn()
  expect(second.hasStarted).toBe(true)

  second.leave()
  await turn()
  expect([queues.isEmpty(teamId), queues.waiting(teamId)]).toEqual([true, 0])
})

test('work that is cancelled rejects with the reason at once, and later work still waits for earlier work', async () => {
  const queues = new TeamQueues()
  const cancelling = new AbortController()
  const reason = new Error('cancelled')
  const first = addWork(queues)
  const second = addWork(queues, { signal: cancelling.signal })
  const third = addWork(queues)

  cancelling.abort(reason)

  await expect(second.ended).rejects.toBe(reason)
  await turn()
  expect([second.hasStarted, third.hasStarted]).toEqual([false, false])
  first.leave()
  await turn()
  expect(third.hasStarted).toBe(true)
})

test('a team has work that waits after its last work was cancelled', async () => {
  const queues = new TeamQueues()
  const cancelling = new AbortController()
  const first = addWork(queues)
  const last = addWork(queues, { signal: cancelling.signal })

  cancelling.abort(new Error('cancelled'))
  await expect(last.ended).rejects.toThrow('cancelled')
  await turn()

  expect(queues.isEmpty(teamId)).toBe(false)
  first.leave()
  await turn()
  expect(queues.isEmpty(teamId)).toBe(true)
})

test('work runs before its turn when its time is over, and later work still waits', async () => {
  const queues = new TeamQueues()
  const first = addWork(queues)
  const late = addWork(queues, { untilMs: 0 })
  const later = addWork(queues)

  await expect.poll(() => late.hasStarted).toBe(true)
  late.leave()
  await late.ended
  await turn()

  expect(later.hasStarted).toBe(false)
  first.leave()
  await turn()
  expect(later.hasStarted).toBe(true)
})
