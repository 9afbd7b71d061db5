import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeCodes } from '../../../src/contract/close-codes.ts'
import { PageFocus } from '../../src/cdp/page-focus.ts'
import { ReadPauser } from '../../src/cdp/read-pauser.ts'
import { routePipe } from '../../src/cdp/router.ts'
import { Gateway } from '../../src/gateway/gateway.ts'
import { MessageMemory, type MessageMemoryLimits } from '../../src/kit/message-memory.ts'
import type { LiveSession } from '../../src/sessions/live-session.ts'
import type { CdpIncoming } from '../cdp/channel-client.ts'

const megabyte = 1024 * 1024

let undo: AsyncDisposableStack
beforeEach(() => {
  undo = new AsyncDisposableStack()
  // Sockets and their timeouts stay real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  undo.defer(() => void vi.useRealTimers())
})
afterEach(async () => undo.disposeAsync())

/** A browser without pages, whose messages the test writes. Each client has one session. */
function stubBrowser() {
  let receive = (_message: Buffer): void => {}
  const say = (message: CdpIncoming): void => receive(Buffer.from(JSON.stringify(message)))
  const sessions: string[] = []
  const router = routePipe({
    send: (text) => {
      const { id, method } = JSON.parse(text) as { id: number; method: string }
      const sessionId = String(sessions.length).padStart(32, '0')
      if (method === 'Target.attachToBrowserTarget') {
        sessions.push(sessionId)
        say({ method: 'Target.attachedToTarget', params: { sessionId, targetInfo: { targetId: 'browser' } } })
      }
      queueMicrotask(() => say({ id, result: { sessionId, targetInfo: { targetId: 'browser' } } }))
      return true
    },
    onMessage: (listener) => {
      receive = listener
    },
    onDrain: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    closed: new Promise(() => undefined),
    close: () => undefined,
  })
  return { router, say, sessions }
}

/** A gateway with one session. `connectClient` connects a raw socket, and returns both its ends. */
async function openGateway(limits: MessageMemoryLimits = {}) {
  const browser = stubBrowser()
  const { router } = browser
  const session = {
    row: { id: 'session-1', teamId: 'team-1', onBrowserClose: 'keep' },
    browser: {
      router,
      binary: { kind: 'shell' },
      folder: { visiblePaths: {} },
      targetKinds: { kindOf: () => 'web', onChange: () => () => undefined },
      // The name of a proxy may take long to resolve.
      proxy: { openContext: async () => new Promise(() => undefined) },
    },
    focus: new PageFocus(),
    handoffs: { isAnyOpen: false, onChange: () => () => undefined },
    downloads: { onClientLeave: () => undefined },
    readPauser: new ReadPauser(router),
    ended: new AbortController().signal,
    touch: () => undefined,
  } as unknown as LiveSession
  const onError = (error: unknown): never => {
    throw error
  }
  const sessions = {} as ConstructorParameters<typeof Gateway>[0]['sessions']
  const messages = new MessageMemory(limits)
  const baseUrlOf = (): string => 'http://localhost'
  const gateway = undo.use(new Gateway({ sessions, resumeSeconds: 0, baseUrlOf, messages, onError }))
  const accepted: Socket[] = []
  const server = createServer().on('upgrade', (request, stream, head) => {
    const socket = stream as Socket
    accepted.push(socket)
    const address = { query: new URLSearchParams(), targetId: undefined }
    gateway.connect(session, { request, socket, head }, address).catch(onError)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.defer(() => void server.close())
  const { port } = server.address() as AddressInfo
  const connectClient = async () => {
    const socket = connect(port, '127.0.0.1')
    undo.defer(() => void socket.destroy())
    const headers = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    socket.write(`GET / HTTP/1.1\r\n${headers.join('\r\n')}\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`)
    await once(socket, 'data')
    return { socket, serverEnd: accepted.at(-1)! }
  }
  return { ...browser, connectClient, url: `ws://127.0.0.1:${port}` }
}

/** Reads from a socket. `until` resolves when it has received this many bytes. */
function read(socket: Socket) {
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  const until = async (bytes: number): Promise<void> => {
    while (Buffer.concat(received).length < bytes) await once(socket, 'data')
  }
  return { until }
}

test.each([
  ['2 others', 2, 16],
  ['63 others', 63, 1],
])('a client that does not read holds up %s only within its share of the memory', async (_, others, share) => {
  const { router, say, sessions, connectClient } = await openGateway()
  const readers = []
  for (let index = 0; index < others; index += 1) readers.push(read((await connectClient()).socket))
  const paused = await connectClient()
  paused.socket.pause()
  const data = 'x'.repeat(megabyte / 4)
  const sayTo = (sessionId: string): void => say({ method: 'Log.entryAdded', params: { data }, sessionId })
  const [pausedSession = '', readerSession = ''] = [sessions.at(-1), sessions[0]]

  // Excludes data in socket buffers of the operating system, which may take some of it with a delay.
  let waitsLeft = 3
  for (let sent = 0; sent < 60 * megabyte && waitsLeft > 0;) {
    if (router.isPaused()) {
      waitsLeft -= 1
      await sleep(20)
    } else {
      waitsLeft = 3
      sayTo(pausedSession)
      sent += data.length
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const buffered = paused.serverEnd.writableLength / megabyte
  for (const sessionId of sessions.slice(0, -1)) sayTo(sessionId)
  await Promise.all(readers.map(async ({ until }) => until(data.length)))
  const wasPaused = router.isPaused()
  vi.advanceTimersByTime(12_000)
  sayTo(pausedSession)
  sayTo(readerSession)
  await readers[0]?.until(2 * data.length)

  expect(wasPaused).toBe(true)
  expect(buffered).toBeGreaterThan(share)
  expect(buffered).toBeLessThan(share + 0.5)
  expect(router.isPaused()).toBe(false)
  expect(paused.serverEnd.writableLength / megabyte).toBeLessThan(share + 0.5)
  const last: Buffer[] = []
  const ended = once(paused.socket.on('data', (chunk: Buffer) => last.push(chunk)).resume(), 'end')
  const closing = Buffer.from([closeCodes.lagging >> 8, closeCodes.lagging & 0xff, ...Buffer.from('lagging')])
  await vi.waitFor(() => expect(Buffer.concat(last.slice(-2)).subarray(-closing.length)).toEqual(closing), 20_000)
  paused.socket.end()
  await ended
})

test('commands that wait for a proxy are refused beyond 64 MB', async () => {
  const { url } = await openGateway()
  const client = new WebSocket(url)
  undo.defer(() => client.terminate())
  await once(client, 'open')
  const params = { proxyServer: 'http://proxy.test', ignored: 'x'.repeat(33 * megabyte) }

  for (const id of [1, 2]) client.send(JSON.stringify({ id, method: 'Target.createBrowserContext', params }))
  const [answer] = (await once(client, 'message')) as [Buffer]

  const message = 'More than 2000 commands or 64 MB are waiting'
  expect(JSON.parse(answer.toString())).toMatchObject({ id: 2, error: { message } })
})

/** The start of a message in a frame that is complete. The message is not. */
function fragment(bytes: number): Buffer {
  const header = Buffer.from([0x01, 0xff, ...Buffer.alloc(8), 0, 0, 0, 0])
  header.writeBigUInt64BE(BigInt(bytes), 2)
  return Buffer.concat([header, Buffer.alloc(bytes, 'x')])
}

/** Resolves to the close frame that the client receives. */
async function closeFrameOf(socket: Socket): Promise<{ readonly code: number; readonly reason: string }> {
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  const received = Buffer.concat(parts)
  const start = received.indexOf(0x88)
  return { code: received.readUInt16BE(start + 2), reason: received.subarray(start + 4).toString() }
}

test.each([
  ['the session', { sessionBytes: 3 * megabyte }, 1009, /^The unfinished messages of the session exceed 3 MB: /],
  ['its team', { totalBytes: 6 * megabyte }, 1013, /^The unfinished messages of the team exceed 3 MB: /],
])('unfinished messages count for %s until they are complete', async (_owner, limits, code, reason) => {
  const { connectClient } = await openGateway(limits)
  const [first, second, third] = [await connectClient(), await connectClient(), await connectClient()]

  first.socket.write(fragment(2 * megabyte))
  await vi.waitFor(() => expect(first.serverEnd.bytesRead).toBeGreaterThan(2 * megabyte), 20_000)
  second.socket.on('error', () => undefined).write(fragment(2 * megabyte))
  const closed = await closeFrameOf(second.socket)
  const answered = once(first.socket, 'data')
  first.socket.write(Buffer.from([0x80, 0x80, 0, 0, 0, 0]))
  await answered
  third.socket.write(Buffer.concat([fragment(2 * megabyte), Buffer.from([0x80, 0x80, 0, 0, 0, 0])]))
  const [answer] = (await once(third.socket, 'data')) as [Buffer]

  expect(closed).toEqual({ code, reason: expect.stringMatching(reason) as string })
  expect(answer.toString()).toContain('-32700')
})

test('a message that makes no progress closes the connection, and pongs do not change that', async () => {
  const { connectClient } = await openGateway()
  const { socket, serverEnd } = await connectClient()
  socket.write(fragment(megabyte))
  await vi.waitFor(() => expect(serverEnd.bytesRead).toBeGreaterThan(megabyte), 20_000)
  const closed = closeFrameOf(socket)

  vi.advanceTimersByTime(12_000)
  const before = serverEnd.bytesRead
  socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
  await vi.waitFor(() => expect(serverEnd.bytesRead).toBeGreaterThan(before), 20_000)
  vi.advanceTimersByTime(12_000)

  expect(await closed).toEqual({ code: 1008, reason: 'A message arrived at less than 6 kB/s for 15 s: send it faster' })
})

test('a command of 100 MB is read', async () => {
  const { url } = await openGateway()
  const client = new WebSocket(url)
  undo.defer(() => client.terminate())
  await once(client, 'open')

  client.send(`{"id":1,"method":"Page.navigate","params":{"url":"file:///${'x'.repeat(100_000_000)}"}}`)
  const [answer] = (await once(client, 'message')) as [Buffer]

  expect(JSON.parse(answer.toString())).toMatchObject({ id: 1, error: { code: -32_000 } })
})

/** Commands in frames of a client, each of which the server refuses. */
function refusedCommands(count: number): Buffer {
  const command = Buffer.from(`{"id":1,"method":"Page.navigate","params":{"url":"file:///${'x'.repeat(900)}"}}`)
  const header = Buffer.from([0x81, 0xfe, command.length >> 8, command.length & 0xff, 0, 0, 0, 0])
  return Buffer.concat(Array.from({ length: count }, () => Buffer.concat([header, command])))
}

/** Sends refused commands until the server reads no more, or has read 64 MB. */
async function sendUntilPaused({ socket, serverEnd }: { readonly socket: Socket; readonly serverEnd: Socket }) {
  const packet = refusedCommands(256)
  while (!serverEnd.isPaused() && serverEnd.bytesRead < 64 * megabyte) {
    socket.write(packet)
    await sleep(1)
  }
}

test('nothing is read from a client that does not read the responses of the server', async () => {
  const { connectClient } = await openGateway()
  const client = await connectClient()
  client.socket.pause()

  await sendUntilPaused(client)
  const { writableLength } = client.serverEnd
  client.socket.resume()
  await vi.waitFor(() => expect(client.serverEnd.isPaused()).toBe(false), { timeout: 20_000 })

  expect(writableLength).toBeGreaterThan(16 * megabyte)
  expect(writableLength).toBeLessThan(18 * megabyte)
})

test('a client that never reads the responses of the server is closed as lagging', async () => {
  const { connectClient } = await openGateway()
  const client = await connectClient()
  client.socket.pause()
  await sendUntilPaused(client)

  vi.advanceTimersByTime(25_000)
  client.socket.write(refusedCommands(1000))
  const read: Buffer[] = []
  const ended = once(client.socket.on('data', (chunk: Buffer) => read.push(chunk)).resume(), 'end')
  const closing = Buffer.from([closeCodes.lagging >> 8, closeCodes.lagging & 0xff, ...Buffer.from('lagging')])
  await vi.waitFor(() => expect(Buffer.concat(read.slice(-2)).subarray(-closing.length)).toEqual(closing), {
    timeout: 20_000,
  })
  client.socket.end()
  await ended

  expect(Buffer.concat(read).subarray(-closing.length)).toEqual(closing)
})
