import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendJson, startForeignService, type ForeignService } from '../client/foreign-service.ts'
import { startProgram, type Program } from '../client/program.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { runCommand, type CommandEnd } from '../lab/run-command.ts'

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

function environmentOf(service: ForeignService) {
  return { HOME: home, BOWLINE_BASE_URL: service.url, BOWLINE_API_KEY: service.apiKey }
}

/** Runs `exec` on a service without browsers, in this process. Its command has the real streams. */
async function runExec(service: ForeignService, ...args: readonly string[]): Promise<CommandEnd> {
  return runCommand(['exec', ...args], { env: environmentOf(service) })
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
  await using service = await startForeignService()

  const end = await runExec(service, '--', ...command)

  expect(end.code, end.errors).toBe(code)
  expect(end.errors).toContain('session session-1: 1.2 s, 2 credits')
  expect(service.deleted).toEqual(['session-1'])
})

test.each([
  ['bowline-has-no-such-command', 'bowline-has-no-such-command was not found'],
  ['/etc', '/etc is not executable'],
])('with --json, a command that cannot be run is an error in JSON: %s', async (file, message) => {
  await using service = await startForeignService()

  const { errors } = await runExec(service, '--json', '--', file)

  const [error = '', bill = ''] = errors.split('\n')
  expect(JSON.parse(error)).toMatchObject({ code: 'COMMAND_FAILED', message })
  expect(JSON.parse(bill)).toMatchObject({ sessionId: 'session-1', creditsBilled: 2 })
})

test('a command that failed is reported as failed work, with its exit code', async () => {
  await using service = await startForeignService()

  const failed = await runExec(service, '--json', '--', 'sh', '-c', 'exit 7')
  const succeeded = await runExec(service, '--json', '--', 'true')

  expect(JSON.parse(failed.errors)).toMatchObject({ endedBy: 'throw', exitCode: 7 })
  expect(JSON.parse(succeeded.errors)).toMatchObject({ endedBy: 'return', exitCode: 0 })
})

test('the exit code of a command that failed is passed on if its session cannot be deleted', async () => {
  await using service = await startForeignService(
    ({ method }, response) => method === 'DELETE' && sendJson(response, 404, { success: false, error: 'Not found' }),
  )

  const end = await runExec(service, '--', 'sh', '-c', 'exit 7')

  expect(end.errors).toMatch(/^DELETE_FAILED: /m)
  expect(end.code).toBe(7)
})

test('a session that ended before its command is reported with the reason', async () => {
  await using service = await startForeignService(({ method }, response) => {
    if (method !== 'DELETE') return false
    return sendJson(response, 200, { success: true, sessionDurationMs: 30_000, creditsBilled: 2, endReason: 'ttl' })
  })

  const text = await runExec(service, '--', 'true')
  const json = await runExec(service, '--json', '--', 'true')

  expect([text.code, text.errors]).toEqual([
    0,
    'session session-1: 30.0 s, 2 credits\nthe session ended before the command: the TTL of the session expired\n',
  ])
  expect(JSON.parse(json.errors)).toMatchObject({ endedBy: 'return', endReason: 'ttl' })
})

test('the exit code is passed on even if standard error is closed', async () => {
  await using service = await startForeignService()
  const args = ['exec', '--', 'sh', '-c', 'exit 7']
  await using program = startProgram('src/cli/main.ts', args, environmentOf(service))
  program.child.stderr?.destroy()

  expect((await program.ended).code).toBe(7)
})

test('signals are forwarded to the command, which decides when to exit', async () => {
  await using service = await startForeignService()
  const script = `trap 'echo caught INT' INT; trap 'echo caught HUP' HUP; trap 'echo caught TERM; exit 5' TERM
    echo ready; while :; do sleep 0.1; done`
  await using program = startProgram('src/cli/main.ts', ['exec', '--', 'sh', '-c', script], environmentOf(service))
  await program.line('ready')

  for (const name of ['INT', 'HUP', 'TERM']) {
    program.child.kill(`SIG${name}` as NodeJS.Signals)
    await program.line(`caught ${name}`)
  }
  const end = await program.ended

  expect(end.code, program.errors()).toBe(5)
  expect(service.deleted).toEqual(['session-1'])
})

test('a signal during the creation ends exec with its exit code, and the session is deleted once it is created', async () => {
  const held: (() => void)[] = []
  await using service = await startForeignService(({ method }, response) => {
    if (method !== 'POST') return false
    held.push(() => response.end(JSON.stringify({ success: true, id: 'session-1', cdpUrl: 'ws://127.0.0.1:1/' })))
    return true
  })
  const args = ['exec', '--', 'sh', '-c', 'echo started']
  await using program = startProgram('src/cli/main.ts', args, environmentOf(service))
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

test('a second signal during the deletion ends exec at once, and the reaper deletes the session', async () => {
  let isSlow = true
  await using service = await startForeignService(({ method }) => method === 'DELETE' && isSlow)
  await using program = startProgram('src/cli/main.ts', ['exec', '--', 'true'], environmentOf(service))
  await expect.poll(() => service.requests.some(({ method }) => method === 'DELETE'), { timeout: 10_000 }).toBe(true)

  program.child.kill('SIGINT')
  await expect.poll(() => program.errors()).toMatch(/^SIGINT: deleting the session; a second signal exits at once/)
  isSlow = false
  program.child.kill('SIGTERM')

  expect(await program.ended).toEqual({ code: null, signal: 'SIGTERM' })
  await service.whenDeleted(1)
})

test('exec leaves no session behind when it is killed', async () => {
  await using program = startExec('--', 'sh', '-c', 'echo ready $BOWLINE_SESSION_ID; exec sleep 2')
  const id = (await program.line('ready')).split(' ')[1] ?? ''

  program.child.kill('SIGKILL')

  await expect.poll(() => statusOf(id), { timeout: 5000 }).toBe('destroyed')
})

test('with --keep-on-failure the session is kept for debugging when the command fails', async () => {
  await using service = await startForeignService()

  const end = await runExec(service, '--keep-on-failure', '--', 'sh', '-c', 'exit 3')

  expect(end.code, end.errors).toBe(3)
  expect([...service.live]).toEqual(['session-1'])
  expect(end.errors).toContain('session session-1 is kept')
  expect(end.errors).toContain('bowline sessions delete session-1')
  // The service has none.
  expect(end.errors).not.toContain('live view')
})

test('with --keep-on-failure the session is deleted when the command succeeds', async () => {
  await using service = await startForeignService()

  const end = await runExec(service, '--keep-on-failure', '--', 'true')

  expect(end.code, end.errors).toBe(0)
  expect(service.deleted).toEqual(['session-1'])
  expect(end.errors).not.toContain('bowline sessions delete')
})

test('the flags of the session are sent to the server', async () => {
  await using service = await startForeignService()

  const labels = ['--name', 'Nightly export', '--metadata', 'customer=4711', '--metadata', 'query=a=b']
  const webhook = ['--webhook', 'https://hooks.example.com/']
  const hosts = ['--allow-domain', 'shop.test', '*.cdn.test', '--block-domain', 'ads.cdn.test']
  const network = [...hosts, '--proxy', 'socks5://some%25one:p%40ss@proxy.test:1081']
  const times = ['--ttl', '60', '--activity-ttl', '30', '--wait', '90']
  const args = ['--browser-arg', '--disable-gpu', '--browser-arg=--font-render-hinting=none', '--headful']
  const headers = ['https://a.test x-a: b: c', 'https://a.test x-d:', 'https://*.b.test x-a: e']
  const device = ['--viewport', '390x844@2.5', '--geolocation', '-33.8, 151,20']
  const texts = ['--locale', 'de-DE', '--timezone', 'Europe/Berlin', '--user-agent', 'Mozilla/5.0 (X)']
  const emulation = [...device, ...texts, ...headers.flatMap((header) => ['--extra-header', header])]
  const flags = ['--profile', 'boat', ...emulation, ...times, ...labels, ...webhook, ...network, ...args]
  const end = await runExec(service, ...flags, '--', 'true')

  expect(end.code, end.errors).toBe(0)
  const creation = service.requests.find(({ method }) => method === 'POST')
  expect(JSON.parse(creation?.body ?? '')).toEqual({
    ttl: 60,
    activityTtl: 30,
    profile: { name: 'boat' },
    webhook: 'https://hooks.example.com/',
    name: 'Nightly export',
    metadata: { customer: '4711', query: 'a=b' },
    allowedDomains: ['shop.test', '*.cdn.test'],
    blockedDomains: ['ads.cdn.test'],
    proxy: { server: 'socks5://proxy.test:1081', username: 'some%one', password: 'p@ss' },
    args: ['--disable-gpu', '--font-render-hinting=none'],
    headless: false,
    viewport: { width: 390, height: 844, deviceScaleFactor: 2.5 },
    geolocation: { latitude: -33.8, longitude: 151, accuracy: 20 },
    locale: 'de-DE',
    timezone: 'Europe/Berlin',
    userAgent: 'Mozilla/5.0 (X)',
    extraHeaders: { 'https://a.test': { 'x-a': 'b: c', 'x-d': '' }, 'https://*.b.test': { 'x-a': 'e' } },
  })
  expect(creation?.path).toBe('/v2/browser?wait=90')
})

test('--json prints the bill as JSON on standard error', async () => {
  await using service = await startForeignService()

  const { errors } = await runExec(service, '--json', '--', 'true')

  expect(JSON.parse(errors)).toMatchObject({ endedBy: 'return', creditsBilled: 2 })
})

test('an invalid session option fails with its error code', async () => {
  const env = { HOME: home, BOWLINE_DATA_DIR: lab.dataDir }
  const { code, errors } = await runCommand(['exec', '--profile', '.', '--', 'true'], { env })

  expect(code).toBe(2)
  expect(errors).toMatch(/^BAD_REQUEST: /)
})

test('options after the command belong to the command', async () => {
  await using service = await startForeignService()
  const file = join(home, 'arguments')

  await runExec(service, '--', 'sh', '-c', `echo "$@" > ${file}`, 'sh', '--ttl', 'x', '--json')

  expect(await readFile(file, 'utf8')).toBe('--ttl x --json\n')
})
