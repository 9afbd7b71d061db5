import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { PoolOptions } from '../../../src/index.ts'
import { sendJson } from '../foreign-service.ts'
import { quickly, read, startPoolFixture } from './fixture.ts'

test('a pool runs the items of an async iterable, and replaces a session after maxUses items', async () => {
  await using fixture = await startPoolFixture()
  const numbers = async function* (): AsyncGenerator<number> {
    for (let number = 0; number < 10; number += 1) yield number
  }

  const run = fixture.bowline.pool({ size: 1, maxUses: 4 }).run(numbers(), (number) => number * 2)

  expect(await read(run)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18])
  expect(await run.done()).toMatchObject({ done: 10, failed: 0, sessions: 3, credits: 6, stoppedBy: 'end' })
  expect(fixture.service.deleted).toHaveLength(3)
})

test('outcomes arrive in order of completion, or in input order', async () => {
  await using fixture = await startPoolFixture()
  const runIn = async (order: 'completed' | 'input'): Promise<readonly unknown[]> => {
    const second = Promise.withResolvers<void>()
    const pool = fixture.bowline.pool({
      size: 2,
      order,
      onProgress: (_progress, { type }) => {
        if (type === 'item') second.resolve()
      },
    })
    return read(
      pool.run(['first', 'second'], async (item) => {
        if (item === 'first') await second.promise
        return item
      }),
    )
  }

  const completed = await runIn('completed')
  const inOrder = await runIn('input')

  expect(completed).toEqual(['second', 'first'])
  expect(inOrder).toEqual(['first', 'second'])
})

test('an error of the work is reported unchanged with its item, and retried only if configured', async () => {
  await using fixture = await startPoolFixture()
  const thrown = new Error('mine')
  const attempts: number[] = []
  const run = (retries: PoolOptions['retries']) =>
    fixture.bowline.pool({ size: 1, retries }).run(['bad', 'good'], (item, { attempt }) => {
      attempts.push(attempt)
      if (item === 'bad') throw thrown
      return item
    })

  const outcomes = await Array.fromAsync(run(undefined))
  const summary = await run({ page: 1, delayMs: 1 }).done()

  expect(outcomes).toMatchObject([
    { state: 'failed', kind: 'page', item: 'bad', index: 0, attempts: 1 },
    { state: 'done', result: 'good', index: 1 },
  ])
  expect(outcomes[0]!.error).toBe(thrown)
  expect(attempts.filter((attempt) => attempt > 1)).toEqual([2])
  expect(summary).toMatchObject({ done: 1, failed: 1, retried: 1, sessions: 1 })
})

test('with stopOnError the first failure ends the run with its error', async () => {
  await using fixture = await startPoolFixture()
  const thrown = new Error('mine')

  const run = fixture.bowline.pool({ stopOnError: true }).run([1, 2, 3], () => Promise.reject(thrown))

  await expect(run.done()).rejects.toBe(thrown)
  expect(fixture.service.live.size).toBe(0)
})

test('an item whose session is lost is retried on another one', async () => {
  await using fixture = await startPoolFixture()

  const run = fixture.bowline.pool({ size: 1, retries: quickly }).run(['only'], async (item, { attempt, session }) => {
    if (attempt > 1) return `${item} on ${session.id}`
    await fixture.bowline.sessions.delete(session.id)
    throw new Error('the socket was closed')
  })

  expect(await read(run)).toEqual(['only on session-2'])
  expect(await run.done()).toMatchObject({ retried: 1, sessions: 2 })
})

test('work that times out is abandoned, and its session replaced', async () => {
  await using fixture = await startPoolFixture()

  const run = fixture.bowline
    .pool({ size: 1, timeoutMs: 50 })
    .run([1, 2], (item, { session }) => (item === 1 ? new Promise<never>(() => undefined) : session.id))

  const outcomes = await Array.fromAsync(run)
  expect(outcomes).toMatchObject([
    { state: 'failed', kind: 'page', error: { code: 'TIMEOUT' } },
    { state: 'done', result: 'session-2' },
  ])
})

test('a session with a failed item is deleted as failed, so that its recordings are kept', async () => {
  await using fixture = await startPoolFixture()
  const fail = (item: string): void => {
    if (item === 'bad') throw new Error('mine')
  }

  const options = { size: 1, session: { record: { keep: 'on-failure' } } } as const
  await fixture.bowline.pool(options).run(['good'], fail).done()
  await fixture.bowline.pool(options).run(['bad', 'good'], fail).done()
  await expect(
    fixture.bowline
      .pool({ ...options, stopOnError: true })
      .run(['bad'], fail)
      .done(),
  ).rejects.toThrow('mine')

  const deletions = fixture.service.requests.filter(({ method }) => method === 'DELETE')
  expect(deletions.map(({ path }) => path.split('?')[1])).toEqual([undefined, 'failed=true', 'failed=true'])
})

test('a time limit above the maximum of timers is no limit', async () => {
  await using fixture = await startPoolFixture()

  const run = fixture.bowline
    .pool({ size: 1, timeoutMs: Number.MAX_SAFE_INTEGER })
    .run([1], async (item) => delay(20, item))

  expect(await read(run)).toEqual([1])
})

test('leaving the loop ends the sessions', async () => {
  await using fixture = await startPoolFixture()
  const endless = function* (): Generator<number> {
    for (let number = 0; ; number += 1) yield number
  }

  const run = fixture.bowline.pool({ size: 2 }).run(endless(), (number) => number)
  for await (const { index } of run) if (index >= 5) break

  expect(fixture.service.live.size).toBe(0)
  expect(await run.done()).toMatchObject({ stoppedBy: 'return' })
})

test('an abort rejects with the reason of the caller once the sessions are deleted, and aborts the work', async () => {
  await using fixture = await startPoolFixture()
  const caller = new AbortController()
  const reason = new Error('no longer needed')
  let received: unknown

  const run = fixture.bowline.pool({ size: 1, signal: caller.signal }).run([1, 2], (_, { signal }) => {
    signal.addEventListener('abort', () => {
      received = signal.reason
    })
    caller.abort(reason)
    return new Promise<never>(() => undefined)
  })

  await expect(run.done()).rejects.toBe(reason)
  expect(received).toBe(reason)
  expect(fixture.service.live.size).toBe(0)
})

test('an input that throws ends the run with its error', async () => {
  await using fixture = await startPoolFixture()
  const broken = function* (): Generator<number> {
    yield 1
    throw new Error('the list is torn')
  }

  await expect(fixture.bowline.pool().run(broken(), String).done()).rejects.toThrow('the list is torn')
  expect(fixture.service.live.size).toBe(0)
})

test('perHost limits concurrency and start rate', async () => {
  await using fixture = await startPoolFixture()
  const starts: number[] = []
  let running = 0
  let most = 0
  const visit = async (url: string): Promise<void> => {
    if (!url.includes('shy')) return
    starts.push(performance.now())
    most = Math.max(most, ++running)
    await delay(5)
    running -= 1
  }

  const beginMs = performance.now()
  const urls = ['shy', 'shy', 'other', 'shy', 'other'].map((host, path) => `http://${host}.example/${path}`)
  await fixture.bowline
    .pool({ size: 3, perHost: { concurrency: 1, delayMs: 60 } })
    .run(urls, visit)
    .done()

  expect(most).toBe(1)
  // Not from one start to the next: the process can be suspended before it reads the time. A timer may be 1 ms early.
  expect(starts[1]).toBeGreaterThanOrEqual(beginMs + 60 - 1)
  expect(starts[2]).toBeGreaterThanOrEqual(beginMs + 2 * (60 - 1))
})

test('items of one profile share sessions, and only one session writes it at a time', async () => {
  await using fixture = await startPoolFixture()
  const using = new Map<string, Set<string>>()
  const customers = ['ann', 'bob', 'ann', 'bob', 'ann', 'bob']

  const run = fixture.bowline.pool({ size: 4 }).run(
    customers,
    async (name, { session }) => {
      using.set(name, (using.get(name) ?? new Set()).add(session.id))
      await delay(5)
    },
    { session: (name) => ({ profile: { name } }) },
  )

  expect(await run.done()).toMatchObject({ done: 6, sessions: 2 })
  expect([...using.values()].map((ids) => ids.size)).toEqual([1, 1])
})

test('more profiles than sessions are used in turn', async () => {
  await using fixture = await startPoolFixture()
  const names = Array.from({ length: 6 }, (_, index) => `p${index % 3}`)

  const run = fixture.bowline
    .pool({ size: 1 })
    .run(names, (name) => name, { session: (name) => ({ profile: { name, saveChanges: false } }) })

  expect(new Set(await read(run))).toEqual(new Set(['p0', 'p1', 'p2']))
  expect(await run.done()).toMatchObject({ done: 6, sessions: 3 })
})

test('a service at its session limit is retried after Retry-After, and no item fails', async () => {
  let refusals = 0
  await using fixture = await startPoolFixture(({ method }, response) => {
    if (method !== 'POST' || fixture.service.live.size <= 1) return false
    refusals += 1
    return sendJson(
      response,
      429,
      { success: false, error: 'Full.', code: 'CONCURRENCY_LIMIT' },
      { 'retry-after': '1' },
    )
  })
  const isRefused = Promise.withResolvers<void>()

  const run = fixture.bowline.pool({ size: 2, retries: 0 }).run([1, 2, 3, 4], async (item) => {
    if (item === 1) await expect.poll(() => refusals).toBeGreaterThan(0)
    isRefused.resolve()
    return item
  })

  expect(new Set(await read(run))).toEqual(new Set([1, 2, 3, 4]))
  expect(await run.done()).toMatchObject({ failed: 0, retried: 0 })
})

test.each([
  ['refuses the key', 401, 'UNAUTHORIZED', 1],
  ['is unavailable', 503, 'DRAINING', 3],
])('a service that %s ends the run with its error', async (_, status, code, creations) => {
  let asked = 0
  await using fixture = await startPoolFixture(({ method }, response) => {
    if (method !== 'POST') return false
    asked += 1
    return sendJson(response, status, { success: false, error: 'No.', code })
  })

  const run = fixture.bowline.pool({ size: 1, retries: { infrastructure: 1, delayMs: 1 } }).run([1, 2, 3], () => 1)

  await expect(run.done()).rejects.toMatchObject({ code })
  expect(asked).toBe(creations)
})

test('work can add items, which are deduplicated', async () => {
  await using fixture = await startPoolFixture()
  const links: Record<string, readonly string[]> = {
    '/': ['/a', '/b'],
    '/a': ['/', '/b', '/c'],
    '/b': [],
    '/c': ['/a'],
  }

  const run = fixture.bowline.pool({ size: 2 }).run(['/'], (path, { add }) => {
    for (const link of links[path] ?? []) add(link)
    return path
  })

  expect(new Set(await read(run))).toEqual(new Set(['/', '/a', '/b', '/c']))
})

test('progress counts events, and a throwing onProgress only causes a warning', async () => {
  await using fixture = await startPoolFixture()
  const events: string[] = []
  const warning = new Promise<Error>((resolve) => void process.once('warning', resolve))

  const run = fixture.bowline
    .pool({
      size: 1,
      onProgress: (progress, event) => {
        events.push(`${event.type} ${progress.done} ${progress.credits}`)
        if (event.type === 'session-opened') throw new Error('oops')
      },
    })
    .run(['only'], () => 1)
  await run.done()

  expect(events).toEqual(['session-opened 0 2', 'item 1 2', 'session-ended 1 2'])
  expect((await warning).message).toBe('onProgress threw: Error: oops')
})

test.each([
  [{ size: 0 }, '`size` must be an integer of at least 1, got 0'],
  [{ maxUses: 1.5 }, '`maxUses` must be an integer of at least 1, got 1.5'],
  [{ maxDrift: 0.5 }, '`maxDrift` must be greater than 1, or 0 to disable it, got 0.5'],
  [{ budget: 1 }, '`budget` must be at least 2, the price of one session, got 1'],
  [{ retries: -1 }, '`retries.infrastructure` must be an integer of at least 0, got -1'],
  [{ price: { hour: -1, minimum: 0 } }, '`price` must have two numbers of at least 0, got {"hour":-1,"minimum":0}'],
])('the options %o are rejected', async (options, message) => {
  await using fixture = await startPoolFixture()

  expect(() => fixture.bowline.pool(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message }))
})

test('a string is rejected as items', async () => {
  await using fixture = await startPoolFixture()

  expect(() => fixture.bowline.pool().run('http://one.example', String)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: 'Pool items must be iterable, got string',
    }),
  )
})

test('input, driver and work determine the types of item, page and result', async () => {
  await using fixture = await startPoolFixture()

  const run = fixture.bowline.pool().run([{ url: 'http://a.example' }], ({ url }) => url.length)
  for await (const outcome of run) {
    const { item, result } = outcome
    const typed: { readonly url: string } = item
    if (outcome.state === 'done') expect(result satisfies number | undefined).toBe(typed.url.length)
  }
  // @ts-expect-error no page without a driver
  const paged = fixture.bowline.pool().run([1], (_, { page }) => page)
  for await (const { error } of paged) expect(error).toMatchObject({ message: '`page` needs a driver' })
})

test('an estimate returns sessions, credits and time before the run', async () => {
  await using fixture = await startPoolFixture()
  const pool = fixture.bowline.pool({ size: 4, maxUses: 50, budget: 20 })

  const estimate = pool.estimate({ items: 1000, itemMs: 1900 })

  // Four sessions at a time, 50 items of 2 s each: 100 s, which is 4 credits.
  expect(estimate).toEqual({ sessions: 20, credits: 80, elapsedMs: 500_000, affordable: 250 })
  expect(fixture.service.requests).toHaveLength(0)
})
