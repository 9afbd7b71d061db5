import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { concurrencyLimit, type LimitedBy } from '../../src/sessions/concurrency-limit.ts'
import { drainingError } from '../../src/sessions/draining-error.ts'
import type { QueuedRequest, QueueOutcome } from '../../src/sessions/queued-request.ts'
import { queueLimits, SessionQueue } from '../../src/sessions/session-queue.ts'
import { SlotEstimate } from '../../src/sessions/slot-estimate.ts'

/** A queue in front of slots that the test frees. */
function startQueue(teamLimits: Readonly<Record<string, number>> = {}) {
  const draining = new AbortController()
  const outcomes: QueueOutcome[] = []
  const created: string[] = []
  const slots = { server: 0, ...teamLimits } as Record<string, number>
  let onFreed: (teamId: string) => void = () => undefined
  let estimates = 0
  const leftMs = (): readonly number[] => {
    estimates += 1
    return []
  }
  const queue = new SessionQueue({
    sessions: { draining: draining.signal, onFreed: (listener) => void (onFreed = listener), leftMs },
    billing: { isLineEmpty: () => true, awaitTurn: async () => ({ [Symbol.dispose]: () => undefined }) },
    onLeave: (outcome) => outcomes.push(outcome),
    onError: (error) => {
      throw error
    },
  })
  const refused = (limitedBy: LimitedBy) => concurrencyLimit({ limitedBy, limit: 1 }, 1)
  const enter = async (apiKeyId: string, options: Partial<QueuedRequest<string>> = {}) => {
    const { teamId = apiKeyId } = options
    const name = options.idempotencyKey ?? apiKeyId
    return queue.enter<string>({
      teamId,
      apiKeyId,
      idempotencyKey: undefined,
      refusal: refused((slots[teamId] ?? 1) === 0 ? 'team' : 'server'),
      waitMs: 60_000,
      signal: new AbortController().signal,
      assertAllowed: async () => undefined,
      attempt: async (onAdmitted) => {
        if (options.idempotencyKey !== undefined && created.includes(name)) return name
        if (slots['server'] === 0) throw refused('server')
        if (slots[teamId] === 0) throw refused('team')
        slots['server']! -= 1
        if (slots[teamId] !== undefined) slots[teamId] -= 1
        created.push(name)
        onAdmitted()
        return name
      },
      handOver: async () => Promise.reject(drainingError()),
      ...options,
    })
  }
  const free = async (count = 1, teamId?: string): Promise<void> => {
    slots['server']! += count
    if (teamId !== undefined) slots[teamId]! += count
    onFreed(teamId ?? 'other')
    for (let turns = 0; turns < 20; turns += 1) await turn()
  }
  return { queue, enter, free, created, outcomes, draining, estimates: () => estimates }
}

describe('the queue of sessions', () => {
  test('gives turns to keys in rotation, however many requests each has', async () => {
    const { enter, free, created, queue } = startQueue()
    const requests = [...Array<string>(4).fill('many'), 'few', 'few', 'one'].map(async (key) => enter(key))

    for (let session = 0; session < 4; session += 1) await free()
    const first = [...created]
    await free(3)

    expect(first).toEqual(['many', 'few', 'one', 'many'])
    await expect(Promise.all(requests)).resolves.toHaveLength(7)
    expect(created.slice(4)).toEqual(['few', 'many', 'many'])
    expect(queue.length).toBe(0)
  })

  test('does not hold up other teams for one that is at its limit', async () => {
    const { enter, free, created } = startQueue({ limited: 0 })
    const requests = [enter('limited'), enter('a'), enter('limited'), enter('b')]

    await free(2)
    const withoutTeamSlot = [...created]
    await free(2, 'limited')
    await Promise.all(requests)

    expect(withoutTeamSlot).toEqual(['a', 'b'])
    expect(created.slice(2)).toEqual(['limited', 'limited'])
  })

  test('refuses new requests for the slots that others wait for, and only those', async () => {
    const { queue, enter, free } = startQueue({ limited: 0 })
    const waiting = enter('limited')

    expect(queue.refusalFor('limited')).toMatchObject({ code: 'CONCURRENCY_LIMIT', details: { limitedBy: 'team' } })
    expect(queue.refusalFor('other')).toBeUndefined()
    const others = enter('other')
    expect(queue.refusalFor('third')).toMatchObject({ details: { limitedBy: 'server' } })
    await free(2, 'limited')
    await Promise.all([waiting, others])
    expect(queue.refusalFor('third')).toBeUndefined()
  })

  test('serves requests with the same idempotency key together', async () => {
    const { enter, free, created } = startQueue()
    const same = { idempotencyKey: 'same' }
    const requests = [enter('key', same), enter('key'), enter('key', same)]

    await free()

    expect(await Promise.all([requests[0], requests[2]])).toEqual(['same', 'same'])
    expect(created).toEqual(['same'])
    await free()
    await requests[1]
  })

  test('reports positions at the start and when they change', async () => {
    const { enter, free } = startQueue()
    const positions: number[] = []
    const requests = [enter('a'), enter('a')]
    const cancelled = new AbortController()
    const last = enter('a', { onProgress: ({ position }) => positions.push(position) })
    await turn()
    const gone = expect(enter('b', { signal: cancelled.signal })).rejects.toThrow('gone')
    await turn()

    cancelled.abort(new Error('gone'))
    await gone
    await turn()
    await free()
    await free()
    await free()

    expect(await last).toBe('a')
    expect(positions).toEqual([3, 4, 3, 2, 1])
    await Promise.all(requests)
  })

  test('reports once to all requests if many leave at the same time', async () => {
    const { enter, estimates } = startQueue()
    const cancelled = new AbortController()
    const options = { signal: cancelled.signal, onProgress: () => undefined }
    const left = Array.from({ length: 100 }, async () => enter('a', options).catch(String))
    const staying = enter('b', { onProgress: () => undefined, waitMs: 50 }).catch(String)
    await turn()
    const before = estimates()

    cancelled.abort('gone')
    await Promise.all(left)
    await turn()

    expect(estimates() - before).toBe(1)
    await staying
  })

  test('ends the wait with the position and an estimate', async () => {
    const { enter, free, outcomes } = startQueue()
    const long = enter('a')

    await expect(enter('a', { waitMs: 20 })).rejects.toMatchObject({
      code: 'CONCURRENCY_LIMIT',
      message: 'All 1 sessions of this server are in use. No slot became free within 0.02 s.',
      details: { limitedBy: 'server', limit: 1, position: 2, estimatedSeconds: null },
      retryAfterSeconds: 1,
    })
    await free()
    await long
    expect(outcomes).toEqual(['timeout', 'created'])
  })

  test('ends all waits when draining starts, those of a revoked key, and others with their own error', async () => {
    const { queue, enter, free, draining, outcomes } = startQueue()
    const failing = enter('failing', {
      attempt: async () => {
        throw new Error('no browser')
      },
    })
    await expect(failing).rejects.toThrow('no browser')
    const revoked = enter('revoked')
    queue.endWaitersOfKey('revoked')
    await expect(revoked).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 })

    const drained = enter('key')
    draining.abort()

    await expect(drained).rejects.toMatchObject({ code: 'DRAINING' })
    await expect(enter('key')).rejects.toMatchObject({ code: 'DRAINING' })
    expect(outcomes).toEqual(['error', 'error', 'error'])
    await free()
  })

  test('hands requests over when draining starts, and those that are being tried once they are refused', async () => {
    const { enter, free, draining, created, outcomes } = startQueue()
    const handedOver: number[] = []
    const handOver = async (leftMs: number): Promise<string> => `elsewhere ${handedOver.push(leftMs)}`
    const refusal = Promise.withResolvers<string>()
    const attempted = enter('attempted', { attempt: async () => refusal.promise, handOver })
    const waiting = enter('waiting', { handOver })

    draining.abort()
    const first = await waiting
    refusal.reject(drainingError())

    expect([first, await attempted]).toEqual(['elsewhere 1', 'elsewhere 2'])
    for (const leftMs of handedOver) expect(leftMs).toBeGreaterThan(50_000)
    expect(outcomes).toEqual(['created', 'created'])
    await free(2)
    expect(created).toEqual([])
  })

  test('ends the waits of a key that was revoked on another server', async () => {
    const { queue, enter } = startQueue()
    const assertAllowed = async (): Promise<void> => {
      throw new Error('revoked')
    }

    // Keys are checked every 5 s.
    await expect(enter('key', { assertAllowed })).rejects.toThrow('revoked')

    expect(queue.length).toBe(0)
  })

  test('holds a limited number of requests, in total and per key', async () => {
    const { queue, enter, draining } = startQueue()
    const waiting: Promise<unknown>[] = []
    const fill = (key: string) => {
      for (let count = 0; count < queueLimits.perKey; count += 1) waiting.push(enter(key).catch(() => undefined))
    }
    fill('key-0')

    await expect(enter('key-0')).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('100 of its requests'),
    })
    for (let key = 1; key < queueLimits.total / queueLimits.perKey; key += 1) fill(`key-${key}`)
    await expect(enter('late')).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('1000 requests wait'),
    })

    expect(queue.length).toBe(1000)
    draining.abort()
    await Promise.all(waiting)
    expect(queue.length).toBe(0)
  })
})

describe('the estimate for a position', () => {
  test.each([
    ['nothing is known', [], [], 1, null],
    ['only lifetimes are known', [], [90_000, 30_000], 1, 30],
    ['the position is behind all lifetimes', [], [30_000], 2, null],
    ['sessions end every 2 s', [0, 2000, 4000], [], 3, 6],
    ['sessions end seldom, but one expires soon', [0, 4000], [1500], 1, 2],
    ['the last end was long ago', [-700_000, -690_000], [], 1, null],
  ])('uses the rate of recent ends and the remaining lifetimes: %s', (_, ends, leftMs, position, seconds) => {
    const estimate = new SlotEstimate()
    for (const atMs of ends) estimate.record('team', atMs)

    expect(estimate.secondsUntil(position, { leftMs }, 4000)).toBe(seconds)
    expect(estimate.secondsUntil(1, { teamId: 'other', leftMs: [] }, 4000)).toBeNull()
  })
})
