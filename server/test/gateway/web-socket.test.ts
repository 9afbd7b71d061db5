import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { acceptWebSocket, checkHandshake, type ServerWebSocket } from '../../src/gateway/web-socket.ts'
import { createRandom } from '../../../test/lab/random.ts'

const maxPayloadBytes = 1_000_000

/** Echoes messages. `accepted` is the last connection. */
let accepted: ServerWebSocket
const server = createServer().on('upgrade', (request, socket, head) => {
  try {
    checkHandshake(request)
  } catch (error) {
    socket.end(`HTTP/1.1 400 Bad Request\r\n\r\n${String(error)}`)
    return
  }
  accepted = acceptWebSocket(
    { request, socket: socket as Socket, head },
    { maxPayloadBytes, headers: { 'x-test': '1' } },
  )
  accepted.on('message', (message) => accepted.send(message)).on('error', () => undefined)
})
let port: number

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

async function openClient(protocols: string[] = []): Promise<WebSocket> {
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, protocols, { perMessageDeflate: false })
  await once(client, 'open')
  return client
}

function handshake(headers: Readonly<Record<string, string>> = {}): string {
  const all = {
    Host: 'localhost',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
    'Sec-WebSocket-Version': '13',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET / HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Sends bytes, the first part together with the handshake. Resolves to everything received. */
async function exchange(bytes: Uint8Array, request = handshake()): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(Buffer.concat([Buffer.from(request), bytes]))
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** A frame of a client. `length` is what the header says. Default: the size of the payload. */
function frame(
  first: number,
  payload: Uint8Array = Buffer.alloc(0),
  { isMasked = true, length = payload.length } = {},
): Buffer {
  const bit = isMasked ? 0x80 : 0
  const header = length < 126 ? Buffer.from([first, bit | length]) : Buffer.from([first, bit | 127, ...Buffer.alloc(8)])
  if (length >= 126) header.writeBigUInt64BE(BigInt(length), 2)
  const mask = isMasked ? Buffer.from([1, 2, 3, 4]) : Buffer.alloc(0)
  return Buffer.concat([header, mask, Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)))])
}

/** The close code in the last frame of a stream, or undefined. */
function closeCodeOf(received: Buffer): number | undefined {
  const end = received.lastIndexOf(Buffer.from([0x88]))
  return end === -1 ? undefined : received.readUInt16BE(end + 2)
}

const closing = Buffer.from([0x03, 0xe8])

test('messages of every size arrive unchanged and in order, whole or in fragments', async () => {
  const seed = Date.now()
  const random = createRandom(seed)
  const client = await openClient()
  const sizes = [0, 1, 2, 3, 4, 5, 124, 125, 126, 127, 65_535, 65_536, 65_537, maxPayloadBytes]
  const messages = [...sizes, ...Array.from({ length: 200 }, () => random.whole(0, 5000))].map((size) =>
    Buffer.from(Array.from({ length: size }, (_, index) => 32 + ((index * 7 + size) % 90))),
  )
  const received: Buffer[] = []
  client.on('message', (message: Buffer) => received.push(message))

  for (const message of messages) {
    const cuts = [
      ...new Set([0, ...Array.from({ length: random.whole(0, 3) }, () => random.whole(0, message.length))]),
    ].toSorted((a, b) => a - b)
    cuts.forEach((start, index) => {
      client.send(message.subarray(start, cuts[index + 1]), { binary: false, fin: index === cuts.length - 1 })
      if (random.whole(0, 9) === 0) client.ping('between')
    })
  }
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(messages.length)

  expect(
    received.every((message, index) => message.equals(messages[index]!)),
    `seed ${seed}`,
  ).toBe(true)
  client.close()
})

test('frames that are split anywhere are put together', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.write(handshake())
  await once(socket, 'data')
  const bytes = Buffer.concat([
    frame(0x81, Buffer.from('first')),
    frame(0x81, Buffer.from('x'.repeat(200))),
    frame(0x88, closing),
  ])
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  const closed = once(socket, 'close')

  for (const byte of bytes) {
    socket.write(Buffer.from([byte]))
    await new Promise(setImmediate)
  }
  await closed

  const received = Buffer.concat(parts)
  expect(received.includes(`\x81\x05first`, 0, 'latin1')).toBe(true)
  expect(received.includes('x'.repeat(200))).toBe(true)
  expect(closeCodeOf(received)).toBe(1000)
})

test('a frame in the packet of the handshake is read', async () => {
  const received = await exchange(Buffer.concat([frame(0x81, Buffer.from('early')), frame(0x88, closing)]))

  expect(received.toString('latin1').split('\r\n\r\n')).toEqual([
    expect.stringMatching(/^HTTP\/1\.1 101 [^]*x-test: 1$/),
    '\x81\x05early\x88\x02\x03\xe8',
  ])
})

describe('a client that violates the protocol is disconnected:', () => {
  test.each<[name: string, bytes: Uint8Array, code: number]>([
    ['an unmasked frame', frame(0x81, Buffer.from('x'), { isMasked: false }), 1002],
    ['a reserved bit', frame(0xc1, Buffer.from('x')), 1002],
    ['an unknown opcode', frame(0x83), 1002],
    ['an unknown control opcode', frame(0x8b), 1002],
    ['a fragmented ping', frame(0x09), 1002],
    ['a long ping', frame(0x89, Buffer.alloc(126)), 1002],
    ['a continuation of nothing', frame(0x80, Buffer.from('x')), 1002],
    ['a message within a message', Buffer.concat([frame(0x01, Buffer.from('x')), frame(0x81)]), 1002],
    ['a close frame of one byte', frame(0x88, Buffer.from([3])), 1002],
    ['a reserved close code', frame(0x88, Buffer.from([0x03, 0xed])), 1002],
    ['a close reason that is not UTF-8', frame(0x88, Buffer.from([0x03, 0xe8, 0xff])), 1007],
    ['text that is not UTF-8', frame(0x81, Buffer.from([0xff])), 1007],
    [
      'text whose fragments are not UTF-8',
      Buffer.concat([frame(0x01, Buffer.from([0xc3])), frame(0x80, Buffer.from('x'))]),
      1007,
    ],
    ['a message that is too long', frame(0x81, Buffer.alloc(0), { length: maxPayloadBytes + 1 }), 1009],
    [
      'fragments that are too long',
      Buffer.concat([frame(0x01, Buffer.alloc(maxPayloadBytes, 'x')), frame(0x80, Buffer.from('x'))]),
      1009,
    ],
    ['too many fragments', Buffer.concat([frame(0x01), ...Array.from({ length: 10_001 }, () => frame(0x00))]), 1008],
  ])('%s', async (_name, bytes, code) => {
    expect(closeCodeOf(await exchange(bytes))).toBe(code)
  })
})

test.each([
  ['a request without a key', { 'Sec-WebSocket-Key': '' }],
  ['another version', { 'Sec-WebSocket-Version': '8' }],
  ['another protocol', { Upgrade: 'h2c' }],
])('the handshake is refused: %s', async (_name, headers) => {
  expect((await exchange(Buffer.alloc(0), handshake(headers))).toString()).toMatch(/^HTTP\/1\.1 400 [^]*BowlineError: /)
})

test('text in fragments may split a character', async () => {
  const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)]

  const received = await exchange(Buffer.concat([frame(0x01, first), frame(0x80, second), frame(0x88)]))

  expect(received.includes('ü')).toBe(true)
})

test('both sides learn the code of a close frame, whoever sends it', async () => {
  const first = await openClient()
  const closedByClient = once(accepted, 'close')
  first.close(3001, 'done')
  const second = await openClient()
  const [code, reason] = (await closedByClient) as [number, Buffer]
  const closedByServer = once(second, 'close')
  accepted.close(4001, 'ttl')

  expect([code, reason.toString()]).toEqual([3001, 'done'])
  expect((await closedByServer).map(String)).toEqual(['4001', 'ttl'])
})

test('a connection without a close frame ends with 1006', async () => {
  const client = await openClient()
  const closed = once(accepted, 'close')

  client.terminate()

  expect((await closed)[0]).toBe(1006)
})

test('the first protocol of a client is selected', async () => {
  const client = await openClient(['cdp', 'other'])

  expect(client.protocol).toBe('cdp')
  client.close()
})

test('pings of a client are answered', async () => {
  const client = await openClient()
  client.ping('here')

  expect(String((await once(client, 'pong'))[0])).toBe('here')
  client.close()
})
