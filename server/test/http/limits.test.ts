import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAddressPolicy } from '../../src/egress/address-policy.ts'
import { checkTarget } from '../../src/egress/check-target.ts'
import { createOwnPorts } from '../../src/egress/own-ports.ts'
import { readIdentity } from '../../src/identity.ts'
import { lockFolder } from '../../src/store/lock.ts'
import { guardBodies } from '../../src/http/guard-bodies.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => lab[Symbol.asyncDispose]())

function many<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item)
}

/** Calls the API and measures the CPU time of this process, which also runs the server. */
async function timed(method: string, path: string, body: unknown, headers?: Readonly<Record<string, string>>) {
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  const json = { 'content-type': 'application/json' }
  const before = process.cpuUsage()
  const answer = await lab.api(method, path, sent, headers === undefined ? undefined : { ...json, ...headers })
  return { ...answer, length: JSON.stringify(answer.body).length, seconds: process.cpuUsage(before).user / 1e6 }
}

/** Processor time of 300,000 texts as JSON and back, on this machine as fast as it is now. */
function unitSeconds(): number {
  const before = process.cpuUsage()
  JSON.parse(JSON.stringify(many(300_000, 'not a URL')))
  return process.cpuUsage(before).user / 1e6
}

describe('an invalid body gets a short response quickly:', () => {
  test.each([
    ['300,000 URLs', '/v2/batch/scrape', { urls: many(300_000, 'not a URL') }, '`urls` has more than'],
    ['100,000 invalid URLs', '/v1/batch/scrape', { urls: many(100_000, 'http://') }, '99,980 more'],
    ['100,000 invalid URLs that are ignored', '/v2/batch/scrape', { urls: many(100_000, 'http://') }, 'No valid URLs'],
    ['100,000 numbers as URLs', '/v2/batch/scrape', { urls: many(100_000, 1) }, 'must be a string'],
    ['60,000 formats', '/v2/scrape', { url: 'a.example', formats: many(60_000, 'none') }, 'at most 20'],
    ['60,000 actions', '/v2/scrape', { url: 'a.example', actions: many(60_000, { type: 'none' }) }, 'at most 50'],
    ['60,000 selectors', '/v2/scrape', { url: 'a.example', includeTags: many(60_000, 1) }, 'includeTags'],
    ['60,000 patterns', '/v2/crawl', { url: 'a.example', includePaths: many(60_000, '(') }, 'includePaths'],
    ['60,000 domains', '/v2/search', { query: 'q', includeDomains: many(60_000, '-') }, 'includeDomains'],
    ['60,000 targets', '/v2/monitor', { name: 'm', targets: many(60_000, {}) }, 'schedule'],
    ['60,000 pages of an extraction', '/v2/extract', { prompt: 'p', urls: many(60_000, '') }, 'urls'],
    ['9,000 headers', '/v2/map', { url: 'a.example', headers: named(9000, 1) }, 'headers'],
    ['101 headers', '/v2/map', { url: 'a.example', headers: named(101, 'x') }, 'at most 100'],
    ['101 entries of metadata', '/v2/crawl', { url: 'a.example', webhook: hook(101) }, 'at most 100'],
    ['9,000 unknown keys', '/v2/scrape', { url: 'a.example', ...named(9000, 1) }, 'x-19 and 8,980 more'],
    ['10,001 keys', '/v2/scrape', { url: 'a.example', headers: named(10_001, 'x') }, '`headers` has more than 10,000'],
    ['a long name', '/v2/scrape', { url: 'a.example', ['x'.repeat(1e6)]: 1 }, 'Unrecognized key'],
    [
      'a long name of a format',
      '/v1/scrape',
      { url: 'a.example', formats: ['x'.repeat(1e6)] },
      'is not supported by API v1',
    ],
    ['a text that no store can store', '/v2/search', { query: `${'x'.repeat(1000)}\0` }, 'U+0000'],
    ['600,000 values', '/v2/monitor', { name: many(10, many(60_000, 1)) }, '500,000 values'],
    ['a million nested arrays', '/v2/batch/scrape', '['.repeat(1e6), 'nested deeper than 200'],
    ['a million nested objects', '/v2/batch/scrape', '{"a":'.repeat(1e6), 'nested deeper than 200'],
    ['an unterminated string', '/v2/batch/scrape', `{"a":"${'\\"'.repeat(2e6)}`, 'malformed JSON'],
  ])('%s', async (_, path, body, message) => {
    const answer = await timed('POST', path, body)

    expect(answer.status).toBe(400)
    expect(`${answer.body['error']} ${answer.body['hint']}`).toContain(message)
    expect(answer.length).toBeLessThan(40_000)
    expect(answer.seconds / unitSeconds()).toBeLessThan(120)
  })
})

function named<Value>(count: number, value: Value): Record<string, Value> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, value]))
}

function hook(entries: number) {
  return { url: 'https://a.example/', metadata: named(entries, 'x') }
}

test.each([
  ['/v2/batch/scrape/01a1fd15-0c10-7879-aa7c-0b034b2f48df?skip=1&skip=0', '`skip` is in the query 2 times'],
  ['/v2/team/activity?limit=1&limit=2&limit=3', '`limit` is in the query 3 times'],
  ['/v2/monitor?limit=1&limit=1', '`limit` is in the query 2 times'],
  ['/v2/browser?status=active&status=active', '`status` is in the query 2 times'],
  // 275760-09-13, which databases cannot store.
  [
    '/v2/team/activity?cursor=KzI3NTc2MC0wOS0xM1QwMDowMDowMC4wMDBaOjAxYTIwMzY2LWU3NTEtNzhkOS05Y2ZhLWZlZmQyMWMzYmUzYQ',
    'Invalid cursor.',
  ],
])('an invalid parameter of the query is rejected with the reason: %s', async (path, message) => {
  const { status, body } = await lab.api('GET', path)

  expect([status, body['code']]).toEqual([400, 'BAD_REQUEST'])
  expect(body['error']).toContain(message)
})

test('other requests are served while 100,000 invalid URLs are validated', async () => {
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)

  await timed('POST', '/v2/batch/scrape', { urls: many(100_000, 'http://') })

  clearInterval(timer)
  expect(turns).toBeGreaterThan(50)
})

test('a body with brackets and quotes in its strings is parsed unchanged', async () => {
  const name = `${'['.repeat(40)}\\"{{,,"\\\\`

  const { body } = await lab.api('POST', '/v2/team/keys', { name })

  expect(body['data']).toMatchObject({ name })
})

describe('a body', () => {
  const text = (length: number): string => JSON.stringify({ token: 'x'.repeat(length) })

  test.each([
    ['POST', '/v2/monitor/email/confirm', 5000, '4 kB', {}],
    ['POST', '/v2/monitor/email/unsubscribe', 5000, '4 kB', {}],
    ['POST', '/monitor/email/confirm', 5000, '4 kB', {}],
    ['POST', '/v2/browser', 70_000, '64 kB', undefined],
    ['POST', '/v2/team/keys', 70_000, '64 kB', undefined],
    ['POST', '/v2/scrape', 2.2e6, '2 MB', undefined],
    ['POST', '/v2/batch/scrape', 10.6e6, '10 MB', undefined],
  ])('is limited to the size that its route needs: %s %s', async (method, path, length, limit, headers) => {
    const { status, body } = await timed(method, path, text(length), headers)

    expect([status, body['code']]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(body['error']).toContain(limit)
  })

  test.each([
    ['/v2/nothing', 404],
    ['/v2/scrape', 401],
  ])('can have any format where it is ignored: %s', async (path, status) => {
    expect((await timed('POST', path, '['.repeat(60_000), {})).status).toBe(status)
  })
})

describe('a client that sends its body slowly', () => {
  const listen = async () => {
    const app = Fastify({ forceCloseConnections: true })
    app.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume().once('end', () => done(null))
    })
    guardBodies(app, { windowMs: 150, minBytes: 100, drainMs: 100 })
    app.get('/', async () => 'read')
    app.post('/', async () => 'read')
    app.post('/refused', { onRequest: async (_request, reply) => reply.code(401).send('refused') }, async () => '')
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const open = (path: string, method = 'POST') => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      let received = ''
      socket.on('data', (text: string) => (received += text)).on('error', () => undefined)
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\nContent-Type: a/b\r\n\r\n`)
      const closed = new Promise<string>((resolve) => void socket.once('close', () => resolve(received)))
      return { socket, closed }
    }
    return { open, [Symbol.asyncDispose]: async () => app.close() }
  }

  test('is disconnected below the minimum rate', async () => {
    await using server = await listen()
    const { socket, closed } = server.open('/')
    const dribble = setInterval(() => socket.write('x'), 20)

    expect(await closed).toMatch(/^HTTP\/1\.1 408 /)
    clearInterval(dribble)
  })

  test('must send faster as more of its body has arrived', async () => {
    await using server = await listen()
    const { socket, closed } = server.open('/')
    socket.write('x'.repeat(50_000))
    const dribble = setInterval(() => socket.write('x'.repeat(40)), 20)

    expect(await closed).toMatch(/^HTTP\/1\.1 408 /)
    clearInterval(dribble)
  })

  test('is disconnected after the response', async () => {
    await using server = await listen()
    const { socket, closed } = server.open('/refused')
    const dribble = setInterval(() => socket.write('x'.repeat(50)), 10)

    expect(await closed).toMatch(/^HTTP\/1\.1 401 .*refused$/s)
    clearInterval(dribble)
  })

  test('is served as long as it keeps the minimum rate', async () => {
    await using server = await listen()
    const { socket } = server.open('/')
    const beganAtMs = performance.now()
    for (let sent = 0; sent < 100_000; sent += 2000) {
      await new Promise((resolve) => void setTimeout(resolve, 10))
      socket.write('x'.repeat(2000))
    }
    const [answer] = (await once(socket, 'data')) as [string]

    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(performance.now() - beganAtMs).toBeGreaterThan(450)
    socket.destroy()
  })
})

test('connections over the maximum are closed', async () => {
  await using small = await startLab({ maxConnections: 10 })
  const { port, hostname } = new URL(small.server.url)
  const sockets = Array.from({ length: 12 }, () => connect(Number(port), hostname).on('error', () => undefined))
  await Promise.race([once(sockets[10]!, 'close'), once(sockets[11]!, 'close')])

  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => (await small.api('GET', '/livez').catch(() => undefined))?.status).toBe(200)
})

test.each(['//', '//[', 'http://[/'])('a WebSocket upgrade to %s gets 400', async (target) => {
  const { port, hostname } = new URL(lab.server.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  )

  const [answer] = (await once(socket, 'data')) as [string]

  expect(answer).toMatch(/^HTTP\/1\.1 400 .*"BAD_REQUEST"/s)
  socket.destroy()
})

test('the data directory and the files in it are accessible to their user only', async () => {
  await using folder = await temporaryFolder()
  const dataDir = join(folder.path, 'made')

  await readIdentity(dataDir, undefined)
  using _lock = await lockFolder(dataDir)

  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  const names = await readdir(dataDir)
  const modes = await Promise.all(['', ...names].map(async (name) => [name, await mode(join(dataDir, name))]))
  expect(names).toContain('lock.sqlite')
  expect(modes.filter(([, each]) => !/^[67]00$/.test(String(each)))).toEqual([])
})

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'bowline-limits-'))
  return { path, [Symbol.asyncDispose]: async () => rm(path, { recursive: true }) }
}

test('the error for a blocked host name does not reveal its address', async () => {
  const deps = { policy: createAddressPolicy({ ownPorts: createOwnPorts() }), resolve: async () => ['10.1.2.3'] }

  const judged = checkTarget(deps, { host: 'db.internal', port: 80 })

  await expect(judged).rejects.toThrow(/^db\.internal:80 is refused: the address is not public$/)
})
