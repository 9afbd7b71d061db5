import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bowline, type QueueProgress } from '../../src/index.ts'
import { drivers } from '../lab/drivers.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { sendJson, startForeignService, type Answer } from './foreign-service.ts'
import { startProgram } from './program.ts'

const full = { success: false, code: 'CONCURRENCY_LIMIT', error: 'All sessions are in use' }

async function startFixture(answer: Answer, timeoutMs?: number) {
  const service = await startForeignService(answer)
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, timeoutMs })
  return { service, bowline, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

describe('the option `wait` of a session', () => {
  test('is sent only if it is set', async () => {
    await using fixture = await startFixture(() => false)

    await fixture.bowline.sessions.create({ ttl: 60 })
    await fixture.bowline.sessions.create({ ttl: 60, wait: 30 })

    const created = fixture.service.requests.filter(({ method }) => method === 'POST')
    expect(created.map(({ path, body }) => [path, body])).toEqual([
      ['/v2/browser', '{"ttl":60}'],
      ['/v2/browser?wait=30', '{"ttl":60}'],
    ])
    expect(created.map(({ headers }) => headers.accept)).toEqual([
      'application/json',
      'text/event-stream, application/json',
    ])
  })

  test('extends the time limit of the request', async () => {
    const answers: (() => void)[] = []
    await using fixture = await startFixture(({ method }, response) => {
      if (method !== 'POST') return false
      answers.push(() => sendJson(response, 200, { success: true, id: 'late', cdpUrl: 'ws://127.0.0.1:1/cdp' }))
      // Later than the time limit of the client.
      setTimeout(() => answers[0]?.(), 400)
      return true
    }, 100)

    await expect(fixture.bowline.sessions.create({ wait: 30 })).resolves.toMatchObject({ id: 'late' })

    expect(answers).toHaveLength(1)
  })

  test('is not multiplied by retries: they wait for the rest, and not after its end', async () => {
    let attempts = 0
    await using fixture = await startFixture(({ method }, response) => {
      if (method !== 'POST') return false
      attempts += 1
      if (attempts === 1)
        return sendJson(response, 503, { success: false, code: 'DRAINING', error: 'stopping' }, { 'retry-after': '1' })
      setTimeout(() => sendJson(response, 429, full), 1000)
      return true
    })

    await expect(fixture.bowline.sessions.create({ wait: 3 })).rejects.toMatchObject({ code: 'CONCURRENCY_LIMIT' })

    const waits = fixture.service.requests.map(({ path }) => Number(new URL(path, 'http://a').searchParams.get('wait')))
    expect(waits).toEqual([3, expect.any(Number)])
    expect(waits[1]).toBeLessThan(3)
  })

  test('reads events: positions, the session, and errors with their status and `Retry-After`', async () => {
    const events = [
      ': waiting\n\nevent: queued\ndata: {"position":2,"estimatedSeconds":null}\n\nevent: queued\ndata: {"position":1,"estimatedSeconds":5}\n\nevent: created\ndata: {"success":true,"id":"x","cdpUrl":"ws://127.0.0.1:1/cdp"}\n\n',
      'retry: 2500\nevent: error\ndata: {"success":false,"code":"UNAUTHORIZED","error":"The API key was revoked","status":401}\n\n',
    ]
    await using fixture = await startFixture(({ method }, response) => {
      if (method !== 'POST') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      // In two parts, which end in the middle of an event.
      const text = events.shift() ?? ''
      response.write(text.slice(0, 30))
      setImmediate(() => response.end(text.slice(30)))
      return true
    })
    const positions: QueueProgress[] = []

    const session = await fixture.bowline.sessions.create(
      { wait: 9 },
      { onQueued: (progress) => positions.push(progress) },
    )
    const refused = fixture.bowline.sessions.create({ wait: 9 })

    expect(session.id).toBe('x')
    expect(positions).toEqual([
      { position: 2, estimatedSeconds: null },
      { position: 1, estimatedSeconds: 5 },
    ])
    await expect(refused).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      status: 401,
      message: 'The API key was revoked',
      retryAfterSeconds: 3,
    })
  })

  test('ends when a signal ends the process, which deletes a session that may have been created', async () => {
    await using fixture = await startFixture(({ method }, response) => {
      if (method !== 'POST') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: queued\ndata: {"position":1,"estimatedSeconds":null}\n\n')
      return true
    })
    const { service } = fixture
    await using program = startProgram('test/client/waiting-program.ts', [], {
      BOWLINE_BASE_URL: service.url,
      BOWLINE_API_KEY: service.apiKey,
    })
    await program.line('queued')

    program.child.kill('SIGINT')

    expect(await program.ended, program.errors()).toEqual({ code: null, signal: 'SIGINT' })
    const [creation, deletion] = service.requests
    expect(deletion).toMatchObject({ method: 'DELETE', path: '/v2/browser' })
    expect(JSON.parse(deletion?.body ?? '')).toEqual({ idempotencyKey: creation?.headers['x-idempotency-key'] })
  })

  describe('on a full server', () => {
    let lab: Lab
    let bowline: Bowline
    beforeAll(async () => {
      lab = await startLab({ maxSessions: 1 })
      bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
    })
    afterAll(async () => lab[Symbol.asyncDispose]())

    test.each(drivers)('holds the creation until there is a slot, under $name', async (driver) => {
      const [second, third] = [Promise.withResolvers<QueueProgress>(), Promise.withResolvers<QueueProgress>()]
      const holder = await bowline.sessions.create({ ttl: 60 })
      const waiting = bowline.sessions.create({ ttl: 60, wait: 60 }, { onQueued: second.resolve })
      // Only now, since the next request could reach the queue first on a connection of its own.
      const positions = [(await second.promise).position]
      const titled = bowline.withSession({ ttl: 60, wait: 60, driver, onQueued: third.resolve }, async ({ page }) => {
        await page.goto('data:text/html,<title>at last</title>')
        return page.title()
      })
      positions.push((await third.promise).position)

      await holder.end()
      await (await waiting).end()

      expect(positions).toEqual([1, 2])
      expect((await titled).result).toBe('at last')
    })

    test('ends when the signal aborts, and leaves no session behind', async () => {
      const queued = Promise.withResolvers<QueueProgress>()
      const stop = new AbortController()
      const first = await bowline.sessions.create({ ttl: 60 })
      const waiting = bowline.sessions.create({ wait: 60 }, { signal: stop.signal, onQueued: queued.resolve })
      await queued.promise
      const metrics = async () => String((await lab.api('GET', '/metrics')).body['text'])

      stop.abort(new Error('enough'))

      await expect(waiting).rejects.toThrow('enough')
      await expect.poll(metrics).toContain('bowline_session_queue_length 0')
      await first.end()
      expect(lab.server.liveSessions()).toBe(0)
    })
  })
})
