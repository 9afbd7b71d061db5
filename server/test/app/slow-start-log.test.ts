import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SlowStartLog } from '../../src/app/slow-start-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a start that takes long logs its current step every 5 s, until it has ended', () => {
  const lines: unknown[] = []
  const slow = new SlowStartLog({ info: (facts, message) => void lines.push([facts, message]) }, 'opening the database')

  vi.advanceTimersByTime(4900)
  expect(lines).toEqual([])
  vi.advanceTimersByTime(200)
  slow.begin('starting browsers')
  vi.advanceTimersByTime(5000)
  slow[Symbol.dispose]()
  vi.advanceTimersByTime(20_000)

  expect(lines).toEqual([
    [{ step: 'opening the database', seconds: 5 }, 'the server is still starting'],
    [{ step: 'starting browsers', seconds: 10 }, 'the server is still starting'],
  ])
})
