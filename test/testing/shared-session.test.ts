import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SharedSession } from '../../src/testing/shared-session.ts'
import type { TestSession } from '../../src/testing/test-session.ts'

describe('the session that the tests of a worker share', () => {
  let opened: number
  let ended: number
  const open = async (): Promise<TestSession> => {
    opened += 1
    const end = async () => void (ended += 1)
    return { end } as unknown as TestSession
  }
  beforeEach(() => {
    vi.useFakeTimers()
    opened = 0
    ended = 0
  })
  afterEach(() => void vi.useRealTimers())

  test('is ended after 10 s without a test, and opened again for the next one', async () => {
    await using shared = new SharedSession(open)
    await shared.use()
    shared.release()
    await vi.advanceTimersByTimeAsync(9000)
    await shared.use()
    await vi.advanceTimersByTimeAsync(60_000)
    expect({ opened, ended }).toEqual({ opened: 1, ended: 0 })

    shared.release()
    await vi.advanceTimersByTimeAsync(10_000)
    expect({ opened, ended }).toEqual({ opened: 1, ended: 1 })

    await shared.use()
    expect({ opened, ended }).toEqual({ opened: 2, ended: 1 })
  })

  test('is kept for a worker whose tests use its browser', async () => {
    const shared = new SharedSession(open)
    await shared.pin()
    await shared.use()
    shared.release()

    await vi.advanceTimersByTimeAsync(60_000)
    expect(ended).toBe(0)

    await shared[Symbol.asyncDispose]()
    expect({ opened, ended }).toEqual({ opened: 1, ended: 1 })
  })

  test('that cannot be deleted while idle rejects when the worker ends, and not as unhandled', async () => {
    const end = async () => Promise.reject(new Error('not deleted'))
    const shared = new SharedSession(async () => ({ end }) as unknown as TestSession)
    await shared.use()
    shared.release()
    await vi.advanceTimersByTimeAsync(10_000)

    await expect(shared[Symbol.asyncDispose]()).rejects.toThrow('not deleted')
  })
})
