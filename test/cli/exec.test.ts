import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startForeignService } from '../client/foreign-service.ts'
import { startProgram, type Program } from '../client/program.ts'
import { startLab, type Lab } from '../lab/lab.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let home: string

beforeAll(async () => {
  lab = fixture.use(await startLab())
  home = fixture.use(await mkdtempDisposable(join(tmpdir(), 'home-'))).path
})

afterAll(async () => {
  await fixture.disposeAsync()
})

function startExec(...args: readonly string[]): Program {
  return startProgram('src/cli/main.ts', ['exec', ...args], { HOME: home, BOWLINE_DATA_DIR: lab.dataDir })
}

async function statusOf(id: string): Promise<unknown> {
  return (await lab.api('GET', `/v2/browser/${id}`)).body['status']
}

test('the command gets a live session in its environment, which is deleted when it ends', async () => {
  const code = `
    const socket = new WebSocket(process.env.BOWLINE_CDP_URL)
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'Browser.getVersion' }))
    socket.onmessage = ({ data }) => {
      console.log('product', JSON.parse(data).result.product)
      console.log('session', process.env.BOWLINE_SESSION_ID)
      console.log('views', process.env.BOWLINE_LIVE_VIEW_URL !== process.env.BOWLINE_INTERACTIVE_LIVE_VIEW_URL)
      socket.close()
    }`
  await using program = startExec('--ttl', '60', '--', process.execPath, '-e', code)

  const end = await program.ended

  expect(end.code, program.errors()).toBe(0)
  expect(program.lines[0]).toMatch(/^product .*Chrome\//)
  expect(program.lines[2]).toBe('views true')
  const id = program.lines[1]?.split(' ')[1] ?? ''
  expect(program.errors()).toMatch(new RegExp(`^session ${id}: [0-9.]+ s, 2 credits\n$`))
  expect(await statusOf(id)).toBe('destroyed')
})

test.each([
  ['the exit code of the command is passed on', ['sh', '-c', 'exit 7'], 7],
  ['a command killed by a signal exits with 128 plus its number', ['sh', '-c', 'kill -TERM $$'], 143],
  ['a missing command exits with 127', ['bowline-has-no-such-command'], 127],
  ['a path that is not executable exits with 126', ['/etc'], 126],
])('%s, and the session is deleted', async (_, command, code) => {
  await using program = startExec('--', ...command)

  const end = await program.ended

  expect(end.code, program.errors()).toBe(code)
  const id = /session (\S+):/.exec(program.errors())?.[1] ?? ''
  expect(await statusOf(id)).toBe('destroyed')
})

test('the exit code is passed on even if standard error is closed', async () => {
  await using program = startExec('--', 'sh', '-c', 'exit 7')
  program.child.stderr?.destroy()

  expect((await program.ended).code).toBe(7)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s is forwarded to the command, which decides when to exit',
  async (signal) => {
    const script = `trap 'echo caught; exit 5' ${signal.slice(3)}; echo ready $BOWLINE_SESSION_ID; while :; do sleep 0.1; done`
    await using program = startExec('--', 'sh', '-c', script)
    const id = (await program.line('ready')).split(' ')[1] ?? ''

    program.child.kill(signal)
    const end = await program.ended

    expect(end.code, program.errors()).toBe(5)
    expect(program.lines).toContain('caught')
    expect(await statusOf(id)).toBe('destroyed')
  },
)

test('a signal during the creation ends exec with its exit code, and the session is deleted once it is created', async () => {
  const held: (() => void)[] = []
  await using service = await startForeignService(({ method }, response) => {
    if (method !== 'POST') return false
    held.push(() => response.end(JSON.stringify({ success: true, id: 'session-1', cdpUrl: 'ws://127.0.0.1:1/' })))
    return true
  })
  await using program = startProgram('src/cli/main.ts', ['exec', '--', 'sh', '-c', 'echo started'], {
    HOME: home,
    BOWLINE_BASE_URL: service.url,
    BOWLINE_API_KEY: service.apiKey,
  })
  await service.whenCreated(1)

  await expect.poll(() => held.length).toBe(1)
  program.child.kill('SIGTERM')
  await expect.poll(() => program.errors(), { timeout: 10_000 }).toContain('SIGTERM: the session is deleted')
  held[0]?.()
  const end = await program.ended

  expect(end.code, program.errors()).toBe(143)
  expect(program.lines).toEqual([])
  expect(service.deleted).toEqual(['session-1'])
})

test('exec prints no live view URL for a kept session without one', async () => {
  await using service = await startForeignService(({ method }, response) => {
    if (method !== 'POST') return false
    response.end(JSON.stringify({ success: true, id: 'session-1', cdpUrl: 'ws://127.0.0.1:1/' }))
    return true
  })
  await using program = startProgram('src/cli/main.ts', ['exec', '--keep-on-failure', '--', 'false'], {
    HOME: home,
    BOWLINE_BASE_URL: service.url,
    BOWLINE_API_KEY: service.apiKey,
  })

  const end = await program.ended

  expect(end.code, program.errors()).toBe(1)
  expect(program.errors()).toContain('session session-1 is kept')
  expect(program.errors()).not.toContain('live view')
})

test('exec leaves no session behind when it is killed', async () => {
  await using program = startExec('--', 'sh', '-c', 'echo ready $BOWLINE_SESSION_ID; exec sleep 2')
  const id = (await program.line('ready')).split(' ')[1] ?? ''

  program.child.kill('SIGKILL')

  await expect.poll(() => statusOf(id), { timeout: 5000 }).toBe('destroyed')
})

test.each([
  ['is kept for debugging', 3, 'active'],
  ['is deleted', 0, 'destroyed'],
])('with --keep-on-failure the session %s when the command ends with %i', async (_, code, status) => {
  await using program = startExec('--keep-on-failure', '--', 'sh', '-c', `echo $BOWLINE_SESSION_ID; exit ${code}`)

  const end = await program.ended

  const id = program.lines[0] ?? ''
  expect(end.code, program.errors()).toBe(code)
  expect(await statusOf(id)).toBe(status)
  expect(program.errors().includes(`bowline sessions delete ${id}`)).toBe(status === 'active')
  await lab.api('DELETE', `/v2/browser/${id}`)
})

test('--profile keeps the state of the session for the next one', async () => {
  await using program = startExec('--profile', 'boat', '--', 'true')

  const end = await program.ended

  expect(end.code, program.errors()).toBe(0)
  expect((await lab.api('GET', '/v2/browser/profiles/boat')).status).toBe(200)
})

test('--json prints the bill as JSON on standard error', async () => {
  await using program = startExec('--json', '--', 'true')

  await program.ended

  expect(JSON.parse(program.errors())).toMatchObject({ endedBy: 'return', creditsBilled: 2 })
})

test('an invalid session option fails with its error code', async () => {
  await using program = startExec('--profile', '.', '--', 'true')

  const end = await program.ended

  expect(end.code).toBe(2)
  expect(program.errors()).toMatch(/^BAD_REQUEST: /)
})

test('options after the command belong to the command', async () => {
  await using program = startExec('--', 'echo', '--ttl', 'x', '--json')

  await program.ended

  expect(program.lines).toEqual(['--ttl x --json'])
})
