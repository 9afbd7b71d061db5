import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SessionClock } from '../../src/sessions/session-clock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function startClock(ttlSeconds: number) {
  const expired: { readonly reason: string; readonly ageMs: number }[] = []
  const row = { ttlSeconds, activityTtlSeconds: 10, createdAt: new Date() }
  const clock = new SessionClock({ row, startedAtMs: performance.now() }, (reason) =>
    expired.push({ reason, ageMs: clock.ageMs() }),
  )
  return { clock, expired }
}

test('a suspended inactivity timeout starts again at the end of the suspension', () => {
  const { clock, expired } = startClock(3600)
  const [resume, resumeOther] = [clock.suspendIdle(), clock.suspendIdle()]

  vi.advanceTimersByTime(25_000)
  resume()
  resume()
  vi.advanceTimersByTime(25_000)
  resumeOther()
  vi.advanceTimersByTime(9999)
  const early = [...expired]
  vi.advanceTimersByTime(1)

  expect([early, expired]).toEqual([[], [{ reason: 'idle', ageMs: 60_000 }]])
  clock[Symbol.dispose]()
})

test('a suspended inactivity timeout does not extend the lifetime', () => {
  const { clock, expired } = startClock(15)
  clock.suspendIdle()

  vi.advanceTimersByTime(20_000)

  expect(expired).toEqual([{ reason: 'ttl', ageMs: 15_000 }])
  clock[Symbol.dispose]()
})
