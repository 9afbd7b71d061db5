import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendJson, startForeignService, type Answer } from './foreign-service.ts'
import { Bowline, BowlineError, type BowlineOptions, type Driver, type SessionBill } from '../../src/index.ts'

async function startFixture(answer?: Answer, options: BowlineOptions = {}) {
  const service = await startForeignService(answer)
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, ...options })
  return { service, bowline, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

const refuseDeletions: Answer = ({ method }, response) =>
  method === 'DELETE' && sendJson(response, 403, { success: false, error: 'The database is on fire.' })

async function nextWarning(): Promise<Error> {
  const { promise, resolve } = Promise.withResolvers<Error>()
  process.once('warning', resolve)
  return promise
}

test('withSession resolves to the result and the bill, and deletes the session', async () => {
  await using fixture = await startFixture()

  const outcome = await fixture.bowline.withSession({ ttl: 60 }, async ({ session }) => session.id.length)

  expect(outcome).toMatchObject({ result: 9, sessionId: 'session-1', sessionDurationMs: 1234, creditsBilled: 2 })
  expect(fixture.service.deleted).toEqual(['session-1'])
})

test('an error of the work is rethrown as the same object', async () => {
  await using fixture = await startFixture()
  const thrown = Object.freeze(new Error('mine'))

  const rejection = await fixture.bowline
    .withSession({}, () => {
      throw thrown
    })
    .catch((error: unknown) => error)

  expect(rejection).toBe(thrown)
  expect(fixture.service.deleted).toEqual(['session-1'])
})

const endedByTtl: Answer = ({ method }, response) =>
  method === 'DELETE' &&
  sendJson(response, 200, { success: true, sessionDurationMs: 30_000, creditsBilled: 2, endReason: 'ttl' })

const connected: Driver<object> = {
  name: 'connected',
  connect: async () => ({ [Symbol.asyncDispose]: async () => undefined }),
}

test('an error of work whose session had ended is CONNECTION_LOST with the reason of the bill', async () => {
  await using fixture = await startFixture(endedByTtl)
  const thrown = new Error('Target closed')

  const outcome = fixture.bowline.withSession({ driver: connected }, () => Promise.reject(thrown))

  await expect(outcome).rejects.toMatchObject({
    code: 'CONNECTION_LOST',
    message: 'The connection to session session-1 was lost: the TTL of the session expired (close code 4001)',
    hint: expect.stringContaining('raise `ttl`') as string,
    cause: thrown,
  })
})

test('without a driver, an error of work whose session had ended is rethrown as the same object', async () => {
  await using fixture = await startFixture(endedByTtl)
  const thrown = new Error('mine')
  const bills: SessionBill[] = []

  const outcome = fixture.bowline.withSession({ onEnd: (bill) => bills.push(bill) }, () => Promise.reject(thrown))

  await expect(outcome).rejects.toBe(thrown)
  expect(bills).toMatchObject([{ endedBy: 'throw', endReason: 'ttl' }])
})

test('the outcome of work that returned after the end of its session has the reason', async () => {
  await using fixture = await startFixture(endedByTtl)

  const outcome = await fixture.bowline.withSession({ driver: connected }, () => 'late')

  expect(outcome).toMatchObject({ result: 'late', endReason: 'ttl' })
})

test('a lost connection aborts the signal of the work, and its hint is kept', async () => {
  await using fixture = await startFixture()
  const lost = new BowlineError('CONNECTION_LOST', 'The server is gone', { hint: 'It may still be alive' })
  const driver: Driver<object> = {
    name: 'lossy',
    connect: async (_session, { onLost } = {}) => {
      setImmediate(() => onLost?.(lost))
      return { [Symbol.asyncDispose]: async () => undefined }
    },
  }

  const slept = fixture.bowline.withSession({ driver }, async ({ signal }) => sleep(60_000, undefined, { signal }))
  await expect(slept).rejects.toMatchObject({
    code: 'CONNECTION_LOST',
    hint: 'It may still be alive',
    cause: { name: 'AbortError' },
  })
  const checked = fixture.bowline.withSession({ driver }, async ({ signal }) => {
    while (!signal.aborted) await sleep(1)
    signal.throwIfAborted()
  })
  await expect(checked).rejects.toBe(lost)
})

test('an error of the work is rethrown even if the deletion fails, which goes to onEnd and a warning', async () => {
  await using fixture = await startFixture(refuseDeletions)
  const thrown = new Error('mine')
  const bills: SessionBill[] = []
  const warning = nextWarning()

  const rejection = await fixture.bowline
    .withSession({ onEnd: (bill) => bills.push(bill) }, () => Promise.reject(thrown))
    .catch((error: unknown) => error)

  expect(rejection).toBe(thrown)
  expect(bills).toMatchObject([{ sessionId: 'session-1', endedBy: 'throw', error: { code: 'DELETE_FAILED' } }])
  expect((await warning).message).toContain(
    'DELETE_FAILED: Session session-1 could not be deleted: The database is on fire.',
  )
})

test('a failed deletion after successful work rejects with DELETE_FAILED and the result', async () => {
  await using fixture = await startFixture(refuseDeletions)

  const outcome = fixture.bowline.withSession({}, () => 'precious')

  await expect(outcome).rejects.toMatchObject({
    code: 'DELETE_FAILED',
    details: { result: 'precious', sessionId: 'session-1' },
    hint: expect.stringContaining('reap') as string,
  })
})

test('work that ignores its signal does not delay the deletion', async () => {
  await using fixture = await startFixture()
  const bills: SessionBill[] = []

  const outcome = fixture.bowline.withSession(
    { timeoutMs: 3000, onEnd: (bill) => bills.push(bill) },
    () => new Promise<never>(() => undefined),
  )

  await expect(outcome).rejects.toMatchObject({ code: 'TIMEOUT', message: 'The work did not finish within 3000 ms' })
  expect(bills).toMatchObject([{ endedBy: 'timeout', creditsBilled: 2 }])
  expect(fixture.service.live.size).toBe(0)
})

test('an abort rejects with the reason of the caller and aborts the work', async () => {
  await using fixture = await startFixture()
  const caller = new AbortController()
  const reason = new Error('no longer needed')
  let seen: unknown

  const outcome = fixture.bowline.withSession({ signal: caller.signal }, ({ signal }) => {
    signal.addEventListener('abort', () => {
      seen = signal.reason
    })
    caller.abort(reason)
    return new Promise<never>(() => undefined)
  })

  await expect(outcome).rejects.toBe(reason)
  expect(seen).toBe(reason)
  expect(fixture.service.deleted).toEqual(['session-1'])
})

test('an abort during the creation rejects at once, and the session is deleted once it exists', async () => {
  const caller = new AbortController()
  const held: (() => void)[] = []
  await using fixture = await startFixture((request, response) => {
    if (request.method !== 'POST') return false
    held.push(() => sendJson(response, 200, { success: true, id: 'session-1', cdpUrl: 'ws://127.0.0.1:1/' }))
    caller.abort()
    return true
  })

  const outcome = fixture.bowline.withSession({ signal: caller.signal }, () => 'never runs')

  await expect(outcome).rejects.toMatchObject({ name: 'AbortError' })
  held[0]?.()
  await fixture.service.whenDeleted(1)
})

test('a session whose driver cannot connect is deleted', async () => {
  await using fixture = await startFixture()
  const driver: Driver<unknown> = { name: 'broken', connect: () => Promise.reject(new Error('no socket')) }

  const outcome = fixture.bowline.withSession({ driver }, () => 'never runs')

  await expect(outcome).rejects.toThrow('no socket')
  expect(fixture.service.deleted).toEqual(['session-1'])
})

test('the work receives the handles of the driver, which disconnects before the deletion', async () => {
  await using fixture = await startFixture()
  const events: string[] = []
  const driver: Driver<{ readonly ship: string }> = {
    name: 'boat',
    connect: async (session) => ({
      ship: `on ${session.id}`,
      [Symbol.asyncDispose]: async () => void events.push(`disconnected, ${fixture.service.live.size} live`),
    }),
  }

  const outcome = await fixture.bowline.withSession({ driver }, ({ ship }) => ship)

  expect(outcome.result).toBe('on session-1')
  expect(events).toEqual(['disconnected, 1 live'])
})

test('the bill is returned even if the work ends the session itself', async () => {
  await using fixture = await startFixture()

  const outcome = await fixture.bowline.withSession({}, ({ session }) => session.end())

  expect(outcome).toMatchObject({ result: { endedBy: 'end' }, creditsBilled: 2 })
  expect(fixture.service.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})

test('a detached session outlives its work and its client', async () => {
  await using fixture = await startFixture()
  {
    await using bowline = new Bowline({ baseUrl: fixture.service.url, apiKey: fixture.service.apiKey, reaper: false })

    const done = await bowline.withSession({}, ({ session }) => session.detach())
    const failed = bowline.withSession({}, ({ session }) => {
      session.detach()
      throw new Error('mine')
    })

    expect(done).toMatchObject({ sessionId: 'session-1', creditsBilled: undefined })
    await expect(failed).rejects.toThrow('mine')
  }
  expect([...fixture.service.live]).toEqual(['session-1', 'session-2'])
})

test('an onEnd that throws only causes a warning', async () => {
  await using fixture = await startFixture()
  const warning = nextWarning()

  const outcome = await fixture.bowline.withSession(
    {
      onEnd: () => {
        throw new Error('oops')
      },
    },
    () => 1,
  )

  expect(outcome.result).toBe(1)
  expect((await warning).message).toBe('onEnd threw: Error: oops')
})

test('nested and concurrent sessions end independently', async () => {
  await using fixture = await startFixture()

  const outcomes = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      fixture.bowline.withSession({}, async ({ session: outer }) => {
        const inner = await fixture.bowline.withSession({}, ({ session }) => session.id)
        return { index, isDifferent: inner.result !== outer.id }
      }),
    ),
  )

  expect(outcomes.map(({ result }) => result)).toEqual([0, 1, 2, 3, 4].map((index) => ({ index, isDifferent: true })))
  expect(new Set(fixture.service.deleted).size).toBe(10)
})

test('a hundred sessions leave no listener on the process or the signal of the caller', async () => {
  await using fixture = await startFixture()
  const caller = new AbortController()
  let listeners = 0
  const add = caller.signal.addEventListener.bind(caller.signal)
  const remove = caller.signal.removeEventListener.bind(caller.signal)
  caller.signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1
    add(...args)
  }
  caller.signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1
    remove(...args)
  }
  const count = () => process.eventNames().map((name) => [name, process.listenerCount(name as string)])
  const before = count()

  for (let round = 0; round < 2; round += 1) {
    await Promise.all(
      Array.from({ length: 50 }, () =>
        fixture.bowline.withSession({ signal: caller.signal, timeoutMs: 60_000 }, () => 1),
      ),
    )
  }

  expect(count()).toEqual(before)
  expect(listeners).toBe(0)
  expect(fixture.service.deleted).toHaveLength(100)
})

test('the driver determines the type of the work', async () => {
  await using fixture = await startFixture()

  const { result } = await fixture.bowline.withSession({}, ({ session }) => session.cdpUrl)
  const typed: string = result
  // @ts-expect-error no page without a driver
  const paged = fixture.bowline.withSession({}, ({ page }) => page)

  await expect(paged).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: '`page` needs a driver' })
  expect(typed).toContain('ws://')
})
