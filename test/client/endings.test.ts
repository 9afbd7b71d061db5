import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { sendJson, startForeignService, type Answer } from './foreign-service.ts'
import { startProgram } from './program.ts'
import { Bowline, type SessionBill } from '../../src/index.ts'

interface Ending {
  readonly name: string
  readonly how: string
  readonly signal?: NodeJS.Signals
  readonly endedBy: SessionBill['endedBy']
  readonly code: number | null
}

const endings: readonly Ending[] = [
  { name: 'on SIGINT', how: 'wait', signal: 'SIGINT', endedBy: 'signal', code: null },
  { name: 'on SIGTERM', how: 'wait', signal: 'SIGTERM', endedBy: 'signal', code: null },
  { name: 'on SIGHUP', how: 'wait', signal: 'SIGHUP', endedBy: 'signal', code: null },
  { name: 'on process.exit', how: 'exit', endedBy: 'exit', code: 3 },
  { name: 'on an uncaught exception', how: 'uncaught', endedBy: 'exit', code: 1 },
  { name: 'on an unhandled rejection', how: 'rejection', endedBy: 'exit', code: 1 },
  { name: 'when the event loop runs dry', how: 'stuck', endedBy: 'exit', code: 13 },
]

async function startFixture(how: string, reaper = 'reaper', answer?: Answer) {
  await using undo = new AsyncDisposableStack()
  const service = undo.use(await startForeignService(answer))
  const sessionDir = undo.use(await mkdtempDisposable(join(tmpdir(), 'sessions-'))).path
  const program = undo.use(
    startProgram('test/client/ending-program.ts', [how, sessionDir, reaper], {
      BOWLINE_BASE_URL: service.url,
      BOWLINE_API_KEY: service.apiKey,
    }),
  )
  const owned = undo.move()
  return { service, sessionDir, program, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

function bills(lines: readonly string[]): readonly SessionBill[] {
  return lines.filter((line) => line.startsWith('bill ')).map((line) => JSON.parse(line.slice(5)) as SessionBill)
}

describe('a session is deleted and billed once', () => {
  test('when the work returns, throws or takes too long, or the caller aborts', async () => {
    const hows = ['return', 'throw', 'timeout', 'abort']
    await using fixture = await startFixture(hows.join())

    const end = await fixture.program.ended

    expect(end, fixture.program.errors()).toEqual({ code: 0, signal: null })
    const ids = hows.map((_, index) => `session-${index + 1}`)
    expect(bills(fixture.program.lines)).toEqual(
      hows.map((endedBy, index) => ({ sessionId: ids[index], endedBy, sessionDurationMs: 1234, creditsBilled: 2 })),
    )
    expect(fixture.service.deleted).toEqual(ids)
    expect(await readdir(fixture.sessionDir)).toEqual([])
  })

  test.each(endings)('$name', async ({ how, signal, endedBy, code }) => {
    await using fixture = await startFixture(how)

    if (signal !== undefined) {
      await fixture.program.line('open')
      fixture.program.child.kill(signal)
    }
    const end = await fixture.program.ended

    expect(end, fixture.program.errors()).toEqual({ code, signal: signal ?? null })
    expect(bills(fixture.program.lines)).toEqual([
      { sessionId: 'session-1', endedBy, sessionDurationMs: 1234, creditsBilled: 2 },
    ])
    expect(fixture.service.deleted).toEqual(['session-1'])
    expect(await readdir(fixture.sessionDir)).toEqual([])
  })
})

test('a signal during the creation of a session waits for the response and deletes the session', async () => {
  const held: (() => void)[] = []
  await using fixture = await startFixture('wait', 'reaper', ({ method }, response) => {
    if (method !== 'POST') return false
    held.push(() => sendJson(response, 200, { success: true, id: 'session-1', cdpUrl: 'ws://127.0.0.1:1/' }))
    return true
  })
  await expect.poll(() => held.length).toBe(1)

  fixture.program.child.kill('SIGTERM')
  setTimeout(() => held[0]?.(), 300)
  const end = await fixture.program.ended

  expect(end, fixture.program.errors()).toEqual({ code: null, signal: 'SIGTERM' })
  expect(bills(fixture.program.lines)).toMatchObject([{ endedBy: 'signal', creditsBilled: 2 }])
  expect(fixture.service.deleted).toEqual(['session-1'])
})

test('process exit deletes the session of a service that takes the id in the body and stops sessions in the background', async () => {
  let asked = 0
  await using fixture = await startFixture('exit', 'reaper', ({ method, path, body }, response) => {
    if (method !== 'DELETE') return false
    if (path !== '/v2/browser') return sendJson(response, 405, { success: false, error: 'Method not allowed' })
    expect(JSON.parse(body)).toEqual({ id: 'session-1' })
    asked += 1
    const bill = asked === 1 ? { status: 'stopping' } : { status: 'stopped', sessionDurationMs: 900, creditsBilled: 7 }
    return sendJson(response, 200, { success: true, ...bill })
  })

  await fixture.program.ended

  expect(bills(fixture.program.lines)).toEqual([
    { sessionId: 'session-1', endedBy: 'exit', sessionDurationMs: 900, creditsBilled: 7 },
  ])
})

test.each<readonly [string, string, number]>([
  ['refuses the deletion with status 200', '/v2/browser/session-1', 200],
  ['accepts the id only in the body and responds 409', '/v2/browser', 409],
  ['accepts the id only in the body and responds 500', '/v2/browser', 500],
])('process exit repeats the deletion if the service first %s', async (_, supportedPath, status) => {
  let refusals = 0
  await using fixture = await startFixture('exit', 'reaper', ({ method, path }, response) => {
    if (method !== 'DELETE') return false
    if (path !== supportedPath) return sendJson(response, 404, { success: false, error: 'No such route' })
    refusals += 1
    if (refusals === 1) return sendJson(response, status, { success: false, error: 'A profile is being saved' })
    return sendJson(response, 200, { success: true, sessionDurationMs: 900, creditsBilled: 7 })
  })

  await fixture.program.ended

  expect(bills(fixture.program.lines)).toEqual([
    { sessionId: 'session-1', endedBy: 'exit', sessionDurationMs: 900, creditsBilled: 7 },
  ])
})

test('process exit reads the bill of a session whose deletion is accepted without one', async () => {
  let reads = 0
  await using fixture = await startFixture('exit', 'reaper', ({ method }, response) => {
    if (method === 'DELETE') return response.writeHead(202).end() !== undefined
    if (method !== 'GET') return false
    reads += 1
    const bill = reads === 1 ? { status: 'stopping' } : { status: 'stopped', sessionDurationMs: 900, creditsBilled: 7 }
    return sendJson(response, 200, { success: true, ...bill })
  })

  await fixture.program.ended

  expect(bills(fixture.program.lines)).toEqual([
    { sessionId: 'session-1', endedBy: 'exit', sessionDurationMs: 900, creditsBilled: 7 },
  ])
})

test('process exit reports a deletion to which a proxy responds with pages', async () => {
  let asked = 0
  await using fixture = await startFixture('exit', 'no-reaper', ({ method }, response) => {
    if (method !== 'DELETE') return false
    asked += 1
    response.writeHead(asked <= 2 ? 404 : 200, { 'content-type': 'text/html' }).end('<h1>Log in to the network</h1>')
    return true
  })

  await fixture.program.ended

  expect(bills(fixture.program.lines)).toMatchObject([
    { sessionId: 'session-1', endedBy: 'exit', error: { code: 'DELETE_FAILED' } },
  ])
  expect(await readdir(fixture.sessionDir)).toHaveLength(1)
})

test('a second signal ends the process at once, and the reaper deletes its sessions', async () => {
  let isSlow = true
  await using fixture = await startFixture('wait', 'reaper', ({ method }) => method === 'DELETE' && isSlow)
  await fixture.program.line('open')

  fixture.program.child.kill('SIGINT')
  await expect.poll(() => fixture.service.requests.some(({ method }) => method === 'DELETE')).toBe(true)
  isSlow = false
  const startedAt = performance.now()
  // The same signal again within half a second counts as one.
  fixture.program.child.kill('SIGTERM')
  const end = await fixture.program.ended

  expect(performance.now() - startedAt).toBeLessThan(4000)
  expect(end).toEqual({ code: null, signal: 'SIGTERM' })
  expect(bills(fixture.program.lines)).toMatchObject([
    { sessionId: 'session-1', endedBy: 'signal', error: { code: 'DELETE_FAILED' } },
  ])
  await fixture.service.whenDeleted(1)
})

test('the reaper deletes the session of a killed process within five seconds', async () => {
  await using fixture = await startFixture('wait')
  await fixture.program.line('open')
  const startedAt = performance.now()

  fixture.program.child.kill('SIGKILL')
  await fixture.service.whenDeleted(1)

  expect(performance.now() - startedAt).toBeLessThan(5000)
  await expect.poll(() => readdir(fixture.sessionDir)).toEqual([])
})

test('the reaper deletes a session by its idempotency key if the process was killed before it received the id', async () => {
  let asked = 0
  await using fixture = await startFixture('wait', 'reaper', ({ method }, response) => {
    // The creation takes time, and its response never arrives.
    if (method === 'POST') return true
    asked += 1
    return sendJson(response, asked < 3 ? 404 : 200, { success: asked >= 3, error: 'Browser session not found.' })
  })
  await expect.poll(() => fixture.service.requests.length).toBe(1)
  const [creation] = fixture.service.requests

  fixture.program.child.kill('SIGKILL')

  await expect.poll(() => asked, { timeout: 5000 }).toBe(3)
  const deletions = fixture.service.requests.filter(({ method }) => method === 'DELETE')
  expect(deletions.map(({ path, body }) => ({ path, body: JSON.parse(body) as unknown }))).toEqual(
    Array.from({ length: 3 }, () => ({
      path: '/v2/browser',
      body: { idempotencyKey: creation?.headers['x-idempotency-key'] },
    })),
  )
})

test('the reaper deletes its sessions when the parent was killed in the middle of a line', async () => {
  await using service = await startForeignService()
  await using bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })
  const { id } = await bowline.sessions.create({}, { detached: true })
  const path = fileURLToPath(new URL('../../src/client/reaper-program.ts', import.meta.url))
  const reaper = spawn(process.execPath, [path, '--once'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = once(reaper, 'close')

  const add = { id, url: `${service.url}/v2/browser/${id}`, headers: {} }
  reaper.stdin.end(`${JSON.stringify({ add })}\n{"add":{"id":"session-2","u`)

  expect(await ended).toEqual([0, null])
  expect(service.deleted).toEqual([id])
})

test('a program with its own SIGINT listener survives after its sessions are deleted', async () => {
  await using fixture = await startFixture('listener')
  await fixture.program.line('open')

  fixture.program.child.kill('SIGINT')
  const end = await fixture.program.ended

  expect(fixture.program.lines).toContain('own listener')
  expect(fixture.program.lines).toContain('rejected BowlineError: The process received SIGINT')
  expect(end.code).toBe(0)
  expect(fixture.service.deleted).toEqual(['session-1'])
})

test('the reaper survives a signal to the whole process group', async () => {
  await using fixture = await startFixture('wait')
  await fixture.program.line('open')

  process.kill(-(fixture.program.child.pid ?? 0), 'SIGKILL')

  await fixture.service.whenDeleted(1)
})

test('a killed reaper is restarted for the next session', async () => {
  await using fixture = await startFixture('twice')
  await fixture.program.line('open')
  const pid = Number((await fixture.program.line('reaper')).split(' ')[1])

  process.kill(pid, 'SIGKILL')
  await fixture.program.line('again')
  fixture.program.child.kill('SIGKILL')

  await fixture.service.whenDeleted(2)
})

test('the next process deletes the session of a killed process without a reaper, by its session marker', async () => {
  await using fixture = await startFixture('wait', 'no-reaper')
  await fixture.program.line('open')
  fixture.program.child.kill('SIGKILL')
  await fixture.program.ended
  const bowline = new Bowline({
    baseUrl: fixture.service.url,
    apiKey: fixture.service.apiKey,
    sessionDir: fixture.sessionDir,
  })

  const report = await bowline.sessions.reap()

  expect(report).toEqual({ deleted: ['session-1'], failed: [], skipped: [] })
  expect(fixture.service.live.size).toBe(0)
  expect(await readdir(fixture.sessionDir)).toEqual([])
})
