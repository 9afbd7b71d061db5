import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CdpEvent } from '../../src/cdp/protocol.ts'
import type { AttachedTarget } from '../../src/cdp/targets.ts'
import { toHarEntry } from '../../src/recordings/har-entry.ts'
import { NetworkLog } from '../../src/recordings/network-log.ts'
import { RedirectChain } from '../../src/recordings/redirect-chain.ts'
import { SecretMask } from '../../src/secrets/secret-mask.ts'
import { TempFile } from '../../src/recordings/temp-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-har-'))
})
afterAll(async () => rm(folder, { recursive: true }))

const target = { cdpSessionId: 'S', targetId: 'T' } as AttachedTarget

function openLog(name: string, mask = new SecretMask(), withSecrets = true) {
  const path = join(folder, name)
  const log = new NetworkLog(new TempFile(path, 1e9), { withBodies: false, withSecrets, mask })
  // Parsed anew, as each message of the browser is.
  const receive = (method: string, params: object, from = target): void =>
    log.receive(from, JSON.parse(JSON.stringify({ method, params })) as CdpEvent)
  const begin = (requestId: string, url: string): void =>
    receive('Network.requestWillBeSent', {
      requestId,
      loaderId: requestId,
      frameId: 'T',
      type: 'Document',
      timestamp: 1,
      wallTime: 1,
      request: { url, method: 'GET', headers: {} },
    })
  return { log, path, receive, begin }
}

function usedMegabytes(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed / 1e6
}

test('the document of a frame in another process, whose session receives the end, has no error', async () => {
  const { log, path, begin, receive } = openLog('frame')
  const requestId = 'BB3F113F77F746E3AF4A9EB064860DAE'
  const frame = { cdpSessionId: 'F', targetId: 'F' } as AttachedTarget

  begin(requestId, 'https://example.com/frame')
  const response = {
    url: 'https://example.com/frame',
    status: 200,
    statusText: 'OK',
    headers: {},
    mimeType: 'text/html',
  }
  receive('Network.responseReceived', { requestId, timestamp: 2, response })
  receive('Network.loadingFinished', { requestId, timestamp: 3, encodedDataLength: 143 }, frame)

  await log.finish()
  const entry = await readFile(path, 'utf8')
  expect(JSON.parse(entry)).toMatchObject({ response: { status: 200 } })
  expect(entry).not.toContain('the session ended')
})

const long = 'x'.repeat(1_000_000)

test('requests that never end take at most 64 MB, and those left out are counted', async () => {
  const { log, begin, receive } = openLog('open')

  for (let index = 0; index < 80; index += 1) begin(`open-${index}`, `https://example.com/${index}?${long}`)
  for (let index = 0; index < 80; index += 1) {
    receive('Network.requestWillBeSentExtraInfo', { requestId: `late-${index}`, headers: { a: long } })
  }
  for (let index = 0; index < 80; index += 1) {
    receive('Network.loadingFailed', { requestId: `open-${index}`, timestamp: 2, errorText: 'net::ERR_FAILED' })
  }
  begin('next', 'https://example.com/next')
  await log.finish()

  expect(log.locations).toHaveLength(63 + 1)
  expect(log.skipped).toBe(80 - 63 + 80)
})

test('long messages of WebSockets and long addresses of documents are not kept in memory', async () => {
  const { log, begin, receive } = openLog('sockets')
  receive('Network.webSocketCreated', { requestId: 'socket', url: 'wss://example.com/' })
  const before = usedMegabytes()

  for (let index = 0; index < 40; index += 1) {
    const response = { opcode: 1, mask: false, payloadData: `${index}${long}` }
    receive('Network.webSocketFrameReceived', { requestId: 'socket', timestamp: 1, response })
    begin(`page-${index}`, `https://example.com/${index}?${long}`)
    receive('Network.loadingFailed', { requestId: `page-${index}`, timestamp: 2, errorText: 'net::ERR_FAILED' })
  }

  expect(usedMegabytes() - before).toBeLessThan(10)
  expect(log.pages).toHaveLength(40)
  await log.finish()
})

test('stack traces of requests that have not ended are not kept in memory', async () => {
  const { log, receive } = openLog('initiators')
  const before = usedMegabytes()

  for (let index = 0; index < 40; index += 1) {
    receive('Network.requestWillBeSent', {
      requestId: `open-${index}`,
      loaderId: 'page',
      frameId: 'T',
      type: 'Fetch',
      timestamp: 1,
      wallTime: 1,
      request: { url: 'https://example.com/', method: 'GET', headers: {}, postDataEntries: [{ bytes: long }] },
      initiator: { type: 'script', stack: { callFrames: [{ url: `${index}${long}` }] } },
    })
  }

  expect(usedMegabytes() - before).toBeLessThan(10)
  await log.finish()
  expect(log.locations).toHaveLength(40)
})

test('messages of WebSockets in base64 are left out once there are secrets to mask', async () => {
  const mask = new SecretMask()
  const { log, receive, path } = openLog('binary', mask)
  receive('Network.webSocketCreated', { requestId: 'socket', url: 'wss://example.com/' })
  const send = (opcode: number, payloadData: string): void =>
    receive('Network.webSocketFrameSent', { requestId: 'socket', timestamp: 1, response: { opcode, payloadData } })
  const encoded = Buffer.from('a secret-value').toString('base64')

  send(1, 'a secret-value')
  send(2, encoded)
  mask.add('PASSWORD', 'secret-value')
  receive('Network.webSocketClosed', { requestId: 'socket', timestamp: 2 })
  await log.finish()

  const entry = await readFile(path, 'utf8')
  expect(entry).toContain('a <secret>PASSWORD</secret>')
  expect(entry).not.toContain(encoded)
})

test('user names and passwords in URLs are recorded only with secrets', async () => {
  const request = { url: 'https://joe:hush@example.com/', method: 'GET', headers: {} }
  const sent = { requestId: '1', loaderId: '1', type: 'Document', timestamp: 1, wallTime: 1, request } as const
  const exchange = new RedirectChain().add(sent, undefined)
  exchange.receivedHeaders = { Location: 'https://joe:hush@example.com/next' }
  const { log, begin } = openLog('credentials', new SecretMask(), false)
  begin('page', request.url)
  await log.finish()

  expect(JSON.stringify(toHarEntry(exchange, { withSecrets: true })).match(/joe:hush/g)).toHaveLength(3)
  expect(JSON.stringify(toHarEntry(exchange, { withSecrets: false }))).not.toContain('hush')
  expect(log.pages).toMatchObject([{ title: 'https://example.com/' }])
})

test('many requests that have not ended are written without blocking, and at most 5000 pages are listed', async () => {
  const { log, begin } = openLog('many')
  for (let index = 0; index <= 5000; index += 1) begin(`open-${index}`, `https://example.com/${index}`)
  let turns = 0
  let counting: NodeJS.Immediate | undefined
  const count = (): void => {
    turns += 1
    counting = setImmediate(count)
  }
  count()

  await log.finish()

  clearImmediate(counting)
  expect(log.locations).toHaveLength(5001)
  expect(log.pages).toHaveLength(5000)
  expect(turns).toBeGreaterThan(10)
})

test('a URL of any number of parameters is recorded with its first 1000', () => {
  const url = `https://example.com/?${'a=b%20c&'.repeat(20_000)}`
  const request = { url, method: 'GET', headers: {} }
  const sent = { requestId: '1', loaderId: '1', type: 'Fetch', timestamp: 1, wallTime: 1, request } as const
  const exchange = new RedirectChain().add(sent, undefined)

  const entry = toHarEntry(exchange, { withSecrets: true })

  expect(entry.request.queryString).toEqual(Array.from({ length: 1000 }, () => ({ name: 'a', value: 'b c' })))
  expect(entry.request.url).toBe(url)
})

test('headers of requests that have ended or were never sent do not displace later requests', async () => {
  const { log, begin, receive } = openLog('late')
  const headers = { a: 'x'.repeat(30_000) }

  const method = 'Network.responseReceivedExtraInfo'
  for (let index = 0; index < 3000; index += 1) {
    log.receive(target, { method, params: { requestId: `late-${index}`, headers } } as unknown as CdpEvent)
  }
  begin('next', 'https://example.com/next')
  receive('Network.loadingFailed', { requestId: 'next', timestamp: 2, errorText: 'net::ERR_FAILED' })
  await log.finish()

  expect([log.locations.length, log.skipped]).toEqual([1, 0])
})

test('a response with any number of cookies is recorded with its first 1000', () => {
  const request = { url: 'https://example.com/', method: 'GET', headers: {} }
  const sent = { requestId: '1', loaderId: '1', type: 'Fetch', timestamp: 1, wallTime: 1, request } as const
  const exchange = new RedirectChain().add(sent, undefined)
  const cookies = Array.from({ length: 10_000 }, (_, index) => `a=${index}; Path=/${';b'.repeat(3)}`)
  exchange.receivedHeaders = { 'Set-Cookie': cookies.join('\n') }

  const { response } = toHarEntry(exchange, { withSecrets: true })

  expect(response.cookies).toHaveLength(1000)
  expect(response.cookies.at(-1)).toMatchObject({ name: 'a', value: '999', path: '/' })
  expect(response.headers).toHaveLength(1000)
})
