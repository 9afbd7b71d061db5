import { expect, test, vi } from 'vitest'
import { WriteHealth } from '../../src/store/write-health.ts'

test('writes fail while the last one failed, and while one hangs for longer than 20 s', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const health = new WriteHealth()
    vi.advanceTimersByTime(60_000)
    expect(health.isFailing).toBe(false)

    health.note(new Error('full'))
    expect(health.isFailing).toBe(true)

    health.note(undefined)
    vi.advanceTimersByTime(19_000)
    expect(health.isFailing).toBe(false)
    vi.advanceTimersByTime(2000)
    expect(health.isFailing).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
