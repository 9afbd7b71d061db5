import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RunningTimeout } from '../../src/kit/running-timeout.ts'

let nowMs = 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Lets a second pass in which the process ran, after one in which it was stopped. */
function passSecond(stoppedMs = 0): void {
  nowMs += stoppedMs + 1000
  vi.advanceTimersByTime(1000)
}

test('the time for which the process is stopped does not count', () => {
  using limit = new RunningTimeout(4000)

  passSecond()
  passSecond(45_000)
  expect(limit.isOver).toBe(false)
  // The late timer counts twice at most.
  passSecond()

  expect(limit.isOver).toBe(true)
  expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError' })
})

test('short timeouts are exact, and disposing ends them', () => {
  const short = new RunningTimeout(50)
  const disposed = new RunningTimeout(50)
  disposed[Symbol.dispose]()

  nowMs += 50
  vi.advanceTimersByTime(50)

  expect([short.isOver, disposed.isOver]).toEqual([true, false])
  expect(vi.getTimerCount()).toBe(0)
})
