import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { BowlineError } from 'bowline/kit/errors'
import { WriteBatch } from '../kit/write-batch.ts'
import { FrameError } from '../kit/frame-error.ts'
import type { MessageReservation } from '../kit/message-memory.ts'
import { UnfinishedMessage } from '../kit/unfinished-message.ts'
import { FrameParser } from './frame-parser.ts'

/** An authorized WebSocket upgrade. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Options of `acceptWebSocket`. */
export interface WebSocketOptions {
  /** Maximum size of a message in bytes. */
  readonly maxPayloadBytes: number
  /** Additional headers of the response, by name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Counts the bytes of a message that is not complete yet. Default: they are not limited. */
  readonly held?: MessageReservation | undefined
}

/** Events of a `ServerWebSocket`. `close`: the code of the client's close frame, or 1006. */
interface WebSocketEvents {
  message: [payload: Buffer]
  pong: [payload: Buffer]
  /** The client violated the protocol. The connection is closed. */
  error: [error: FrameError]
  /** Everything buffered was sent. */
  drain: []
  close: [code: number, reason: Buffer]
}

const protocolId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Throws BAD_REQUEST if a request is not a handshake of RFC 6455. */
export function checkHandshake({ method, headers }: IncomingMessage): void {
  const isHandshake =
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  if (!isHandshake) throw new BowlineError('BAD_REQUEST', 'This is not a handshake of a WebSocket')
  const version = headers['sec-websocket-version']
  if (version !== '13') throw new BowlineError('BAD_REQUEST', `WebSocket version ${version} is not supported: use 13`)
}

/** Completes a handshake that `checkHandshake` has accepted. */
export function acceptWebSocket({ request, socket, head }: Upgrade, options: WebSocketOptions): ServerWebSocket {
  const { 'sec-websocket-key': key = '', 'sec-websocket-protocol': protocols = '' } = request.headers
  const accept = createHash('sha1')
    .update(key + protocolId)
    .digest('base64')
  // Some clients end the connection if none of their protocols is selected.
  const protocol = /^[\w!#$%&'*+.^`|~-]+/.exec(protocols)?.[0]
  const headers = {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Accept': accept,
    ...(protocol === undefined ? {} : { 'Sec-WebSocket-Protocol': protocol }),
    ...options.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
  return new ServerWebSocket(socket, head, options)
}

/** Messages up to this size are copied into one buffer with their header: one write is faster. */
const maxCopiedBytes = 64 * 1024

/** Time for the client to end the connection after the close frames, in milliseconds. */
const endTimeoutMs = 10_000

/** Pings of a client get no response while more bytes than these wait to be sent to it. */
const maxUnreadBytes = 1024 * 1024

const firstBytes = { text: 0x81, close: 0x88, ping: 0x89, pong: 0x8a } as const

/**
 * The server's side of a WebSocket that carries CDP. A round trip of a small command takes four
 * fifths of the processor time that it takes with `ws`, whose receiver is a stream, and which
 * writes header and payload separately. Without compression: round trips would take 1.7 to 2.1
 * times as long.
 */
export class ServerWebSocket extends EventEmitter<WebSocketEvents> {
  readonly OPEN = 1
  readonly #socket: Socket
  readonly #parser: FrameParser
  readonly #batch: WriteBatch
  readonly #unfinished: UnfinishedMessage | undefined
  #isClosing = false
  #received: { readonly code: number; readonly reason: Buffer } | undefined

  constructor(socket: Socket, head: Buffer, { maxPayloadBytes, held }: WebSocketOptions) {
    super()
    this.#socket = socket
    this.#batch = new WriteBatch(socket)
    this.#parser = new FrameParser(maxPayloadBytes, {
      onMessage: (payload) => {
        this.#unfinished?.complete()
        if (this.#received === undefined) this.emit('message', payload)
      },
      onPing: (payload) => this.#respondToPing(payload),
      onPong: (payload) => this.#received ?? this.emit('pong', payload),
      onClose: (code, reason) => this.#received ?? this.#handleClose(code, reason),
    })
    const isPaused = (): boolean => this.isPaused
    const onStalled = (error: FrameError): void => this.#fail(error)
    this.#unfinished = held && new UnfinishedMessage({ held, isPaused, onStalled })
    socket.setTimeout(0)
    socket.setNoDelay(true)
    if (head.length > 0) socket.unshift(head)
    socket.on('data', (chunk: Buffer) => this.#parse(chunk))
    socket.on('drain', () => this.emit('drain'))
    socket.on('end', () => this.#endSocket())
    socket.on('error', () => void socket.destroy())
    socket.on('close', () => {
      this.#isClosing = true
      this.#unfinished?.[Symbol.dispose]()
      this.emit('close', this.#received?.code ?? 1006, this.#received?.reason ?? Buffer.alloc(0))
    })
  }

  /** 1: open. 2: closing or closed. */
  get readyState(): number {
    return this.#isClosing ? 2 : this.OPEN
  }

  /** Bytes that wait to be sent. */
  get bufferedAmount(): number {
    return this.#socket.writableLength
  }

  /** Whether `drain` will be emitted. */
  get needsDrain(): boolean {
    return this.#socket.writableNeedDrain
  }

  /** Whether reading from the client is paused. */
  get isPaused(): boolean {
    return this.#socket.isPaused()
  }

  /** Sends a text message. Does nothing once the connection is closing. */
  send(message: string | Buffer): void {
    if (this.#isClosing) return
    this.#write(firstBytes.text, typeof message === 'string' ? Buffer.from(message) : message)
  }

  /** Sends a ping with up to 125 bytes of payload. */
  ping(payload = ''): void {
    if (!this.#isClosing) this.#write(firstBytes.ping, Buffer.from(payload))
  }

  /** Sends a close frame, by default without a code. The client ends the connection. */
  close(code?: number, reason = ''): void {
    if (this.#isClosing) return
    this.#isClosing = true
    const payload = Buffer.alloc(code === undefined ? 0 : 2 + Buffer.byteLength(reason))
    if (code !== undefined) {
      payload.writeUInt16BE(code)
      payload.write(reason, 2)
    }
    this.#write(firstBytes.close, payload)
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#isClosing = true
    this.#socket.destroy()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  #respondToPing(payload: Buffer): void {
    if (!this.#isClosing && this.bufferedAmount < maxUnreadBytes) this.#write(firstBytes.pong, payload)
  }

  #handleClose(code: number, reason: Buffer): void {
    this.#received = { code, reason }
    this.close(code === 1005 ? undefined : code)
    this.#endSocket()
  }

  #parse(chunk: Buffer): void {
    try {
      this.#parser.parse(chunk)
      this.#unfinished?.update(this.#parser.unfinishedBytes)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#fail(error)
    }
  }

  #fail(error: FrameError): void {
    this.close(error.closeCode, error.message)
    // The rest cannot be parsed.
    this.#socket.removeAllListeners('data').resume()
    this.#parser.discard()
    this.#unfinished?.[Symbol.dispose]()
    this.#endSocket()
    this.emit('error', error)
  }

  #endSocket(): void {
    this.#isClosing = true
    this.#socket.end()
    setTimeout(() => this.#socket.destroy(), endTimeoutMs).unref()
  }

  #write(first: number, payload: Buffer): void {
    this.#batch.beforeWrite()
    const { length } = payload
    const headerBytes = length < 126 ? 2 : length < 65_536 ? 4 : 10
    const isCopied = length <= maxCopiedBytes
    const frame = Buffer.allocUnsafe(isCopied ? headerBytes + length : headerBytes)
    frame[0] = first
    if (headerBytes === 2) frame[1] = length
    else if (headerBytes === 4) {
      frame[1] = 126
      frame.writeUInt16BE(length, 2)
    } else {
      frame[1] = 127
      frame.writeBigUInt64BE(BigInt(length), 2)
    }
    if (isCopied) {
      payload.copy(frame, headerBytes)
      this.#socket.write(frame)
      return
    }
    this.#socket.cork()
    this.#socket.write(frame)
    this.#socket.write(payload)
    this.#socket.uncork()
  }
}
