import { once } from 'node:events'
import { connect, isIP, isIPv4, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { abortable } from 'bowline/kit/abort'
import type { HostPort } from './host-port.ts'

/** Time limit for the connection to the proxy and its responses, in milliseconds. */
const timeoutMs = 30_000

/**
 * Opens a tunnel through a SOCKS proxy (`socks4:` or `socks5:` URL, port 1080 by default). The
 * proxy resolves names. `connection`: to the proxy; by default it is opened here. Bytes that the
 * target sends first stay in the socket. Aborting closes the connection. Throws an Error with the
 * proxy's reason.
 */
export async function connectSocks(
  proxy: URL,
  target: HostPort,
  signal: AbortSignal,
  connection?: Socket,
): Promise<Socket> {
  const host = proxy.hostname.replaceAll(/[[\]]/g, '')
  const socket = connection ?? connect({ host, port: Number(proxy.port || 1080), noDelay: true })
  socket.on('error', () => socket.destroy())
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    if (socket.connecting) await abortable(once(socket, 'connect'), limit)
    const [user, password] = [decode(proxy.username), decode(proxy.password)]
    const call: SocksCall = { socket, target, user, password, signal: limit }
    await (proxy.protocol.startsWith('socks4') ? handshake4(call) : handshake5(call))
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

interface SocksCall {
  readonly socket: Socket
  readonly target: HostPort
  readonly user: Buffer
  readonly password: Buffer
  readonly signal: AbortSignal
}

/** Decodes the user name or password of a URL. */
function decode(credential: string): Buffer {
  return Buffer.from(decodeURIComponent(credential))
}

const noAuthentication = 0
const passwordAuthentication = 2
const connectCommand = 1
/** Code of SOCKS4 for an open connection. */
const granted4 = 90

/** Reasons of SOCKS5 (RFC 1928, section 6) and, from 91 on, of SOCKS4. */
const reasons: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'TTL expired',
  7: 'command not supported',
  8: 'address type not supported',
  91: 'rejected or failed',
  92: 'this machine has no identd',
  93: 'identd reported another user',
}

function refused(code: number): Error {
  return new Error(`the proxy returned ${code} (${reasons[code] ?? 'unknown reason'})`)
}

async function handshake5(call: SocksCall): Promise<void> {
  const { socket, target, user } = call
  const methods = user.length > 0 ? [noAuthentication, passwordAuthentication] : [noAuthentication]
  socket.write(Buffer.from([5, methods.length, ...methods]))
  const greeting = await readBytes(call, 2)
  const method = greeting.readUInt8(1)
  if (greeting.readUInt8(0) !== 5) throw new Error('the proxy does not speak SOCKS5')
  if (!methods.includes(method)) throw new Error('the proxy requires other credentials')
  if (method === passwordAuthentication) await authenticate(call)
  socket.write(Buffer.concat([Buffer.from([5, connectCommand, 0]), addressOf(target.host), portOf(target)]))
  const reply = await readBytes(call, 4)
  const code = reply.readUInt8(1)
  if (code !== 0) throw refused(code)
  const kind = reply.readUInt8(3)
  const length = kind === 3 ? (await readBytes(call, 1)).readUInt8() : kind === 4 ? 16 : 4
  await readBytes(call, length + 2)
}

/** Sends user name and password (RFC 1929). */
async function authenticate(call: SocksCall): Promise<void> {
  const { socket, user, password } = call
  socket.write(Buffer.concat([Buffer.from([1]), withLength(user), withLength(password)]))
  const reply = await readBytes(call, 2)
  if (reply.readUInt8(1) !== 0) throw new Error('the proxy rejected the credentials')
}

/** SOCKS4 supports only IPv4 addresses. Other targets are sent as names (SOCKS4a). */
async function handshake4(call: SocksCall): Promise<void> {
  const { socket, target, user } = call
  const isName = !isIPv4(target.host)
  const address = isName ? [0, 0, 0, 1] : ipaddr.parse(target.host).toByteArray()
  const name = isName ? Buffer.from(`${target.host}\0`) : Buffer.alloc(0)
  const head = Buffer.concat([Buffer.from([4, connectCommand]), portOf(target), Buffer.from(address)])
  socket.write(Buffer.concat([head, user, Buffer.from([0]), name]))
  const code = (await readBytes(call, 8)).readUInt8(1)
  if (code !== granted4) throw refused(code)
}

function addressOf(host: string): Buffer {
  if (isIP(host) === 0) return Buffer.concat([Buffer.from([3]), withLength(Buffer.from(host))])
  return Buffer.from([isIPv4(host) ? 1 : 4, ...ipaddr.parse(host).toByteArray()])
}

function portOf({ port }: HostPort): Buffer {
  return Buffer.from([port >> 8, port & 0xff])
}

function withLength(bytes: Buffer): Buffer {
  if (bytes.length > 255) throw new Error('SOCKS5 has names and credentials of at most 255 bytes')
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** Reads exactly `length` bytes, and leaves the rest in the socket. */
async function readBytes(call: SocksCall, length: number): Promise<Buffer> {
  const { socket, signal } = call
  const bytes = socket.read(length) as Buffer | null
  if (bytes?.length === length) return bytes
  if (bytes !== null || socket.readableEnded || socket.destroyed) throw new Error('the proxy closed the connection')
  const done = new AbortController()
  const options = { signal: AbortSignal.any([signal, done.signal]) }
  try {
    await Promise.race(['readable', 'end', 'close'].map(async (event) => once(socket, event, options)))
  } finally {
    done.abort()
  }
  return readBytes(call, length)
}
