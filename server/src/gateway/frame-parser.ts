import { isUtf8 } from 'node:buffer'
import { FrameError } from '../kit/frame-error.ts'

/** Receives the messages and control frames of a client. */
export interface FrameListener {
  readonly onMessage: (payload: Buffer) => void
  readonly onPing: (payload: Buffer) => void
  readonly onPong: (payload: Buffer) => void
  /** `code`: 1005 if the client sent none. */
  readonly onClose: (code: number, reason: Buffer) => void
}

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** Maximum number of frames of a message. Each takes memory in addition to its bytes. */
const maxFragments = 10_000

/** Fragments up to this size are copied. A larger one keeps the packet in memory it came in. */
const maxCopiedBytes = 16 * 1024

/** Memory that a buffer takes in addition to its bytes. */
const bufferBytes = 256

/**
 * Parses the frames of WebSocket clients (RFC 6455). A frame within one chunk is passed on without
 * a copy: its payload is unmasked in place.
 */
export class FrameParser {
  readonly #maxPayloadBytes: number
  readonly #listener: FrameListener
  #chunks: Buffer[] = []
  #bytes = 0
  /** Bytes that are needed to continue. */
  #needed = 0
  #fragments: Buffer[] = []
  #fragmentBytes = 0
  #isFragmentedText = false

  /** `maxPayloadBytes`: of a message, with all its fragments. */
  constructor(maxPayloadBytes: number, listener: FrameListener) {
    this.#maxPayloadBytes = maxPayloadBytes
    this.#listener = listener
  }

  /** Bytes of memory that a message takes which is not complete yet. */
  get unfinishedBytes(): number {
    const buffers = this.#chunks.length + this.#fragments.length
    return this.#bytes + this.#fragmentBytes + buffers * bufferBytes
  }

  /** Drops an incomplete message. Nothing can be parsed any more. */
  discard(): void {
    this.#chunks = []
    this.#bytes = 0
    this.#fragments = []
    this.#fragmentBytes = 0
  }

  /** Parses a chunk, and calls the listener with all that it completes. Throws FrameError. */
  parse(chunk: Buffer): void {
    let data = chunk
    if (this.#bytes > 0) {
      this.#chunks.push(chunk)
      this.#bytes += chunk.length
      if (this.#bytes < this.#needed) return
      data = Buffer.concat(this.#chunks)
    }
    let start = 0
    while (start < data.length) {
      const end = this.#parseFrame(data, start)
      if (end === undefined) break
      start = end
    }
    // A copy, because `data` may be much longer.
    const rest = start === 0 ? data : Buffer.from(data.subarray(start))
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#bytes = data.length - start
  }

  /** Returns the end of the frame, or undefined if it is incomplete. */
  #parseFrame(data: Buffer, start: number): number | undefined {
    const available = data.length - start
    const header = headerOf(data, start, available)
    if (typeof header === 'number') {
      this.#needed = header
      return undefined
    }
    const first = data[start] ?? 0
    this.#checkHeader(first, header.length)
    const payloadStart = start + header.bytes
    const end = payloadStart + header.length
    if (end > data.length) {
      this.#needed = header.bytes + header.length
      return undefined
    }
    unmask(data, payloadStart, end)
    this.#handle(first, data.subarray(payloadStart, end))
    return end
  }

  #checkHeader(first: number, length: number): void {
    const opcode = first & 0x0f
    const isFinal = (first & 0x80) !== 0
    if ((first & 0x70) !== 0) throw new FrameError(1002, 'Reserved bits must be 0')
    if (opcode >= opcodes.close) {
      if (opcode > opcodes.pong) throw new FrameError(1002, `Unknown opcode ${opcode}`)
      if (!isFinal || length > 125) throw new FrameError(1002, 'Control frames must be short and not fragmented')
      return
    }
    if (opcode > opcodes.binary) throw new FrameError(1002, `Unknown opcode ${opcode}`)
    const isContinued = this.#fragments.length > 0
    if ((opcode === opcodes.continuation) !== isContinued) {
      throw new FrameError(1002, 'Fragments of a message must follow each other')
    }
    if (this.#fragmentBytes + length > this.#maxPayloadBytes) throw new FrameError(1009, 'The message is too long')
  }

  #handle(first: number, payload: Buffer): void {
    const opcode = first & 0x0f
    switch (opcode) {
      case opcodes.ping:
        return this.#listener.onPing(payload)
      case opcodes.pong:
        return this.#listener.onPong(payload)
      case opcodes.close:
        return this.#handleClose(payload)
      default:
        return this.#addFragment(opcode, (first & 0x80) !== 0, payload)
    }
  }

  #addFragment(opcode: number, isFinal: boolean, payload: Buffer): void {
    if (opcode !== opcodes.continuation) this.#isFragmentedText = opcode === opcodes.text
    let message = payload
    if (!isFinal || this.#fragments.length > 0) {
      const isMostOfPacket = payload.length * 2 > payload.buffer.byteLength
      this.#fragments.push(payload.length > maxCopiedBytes && isMostOfPacket ? payload : Buffer.from(payload))
      this.#fragmentBytes += payload.length
      if (this.#fragments.length > maxFragments) throw new FrameError(1008, 'The message has too many fragments')
      if (!isFinal) return
      message = Buffer.concat(this.#fragments)
      this.#fragments = []
      this.#fragmentBytes = 0
    }
    if (this.#isFragmentedText && !isUtf8(message)) throw new FrameError(1007, 'Text must be UTF-8')
    this.#listener.onMessage(message)
  }

  #handleClose(payload: Buffer): void {
    if (payload.length === 0) return this.#listener.onClose(1005, payload)
    const code = payload.length === 1 ? 0 : payload.readUInt16BE(0)
    const reason = payload.subarray(2)
    if (!isCloseCode(code)) throw new FrameError(1002, `Invalid close code ${code}`)
    if (!isUtf8(reason)) throw new FrameError(1007, 'The reason of a close frame must be UTF-8')
    this.#listener.onClose(code, reason)
  }
}

const maskBytes = 4

/** Returns the size of a header with its mask, and of the payload; or the bytes that are needed. */
function headerOf(
  data: Buffer,
  start: number,
  available: number,
): { readonly bytes: number; readonly length: number } | number {
  if (available < 2) return 2
  const second = data[start + 1] ?? 0
  if ((second & 0x80) === 0) throw new FrameError(1002, 'Frames of clients must be masked')
  const short = second & 0x7f
  const bytes = 2 + maskBytes + (short === 127 ? 8 : short === 126 ? 2 : 0)
  if (available < bytes) return bytes
  if (short < 126) return { bytes, length: short }
  if (short === 126) return { bytes, length: data.readUInt16BE(start + 2) }
  const length = data.readBigUInt64BE(start + 2)
  if (length > BigInt(Number.MAX_SAFE_INTEGER)) throw new FrameError(1009, 'The message is too long')
  return { bytes, length: Number(length) }
}

/** Unmasks a payload in place, with the mask before it. */
function unmask(data: Buffer, start: number, end: number): void {
  const a = data[start - 4] ?? 0
  const b = data[start - 3] ?? 0
  const c = data[start - 2] ?? 0
  const d = data[start - 1] ?? 0
  let index = start
  for (const last = end - 3; index < last; index += 4) {
    data[index] = (data[index] ?? 0) ^ a
    data[index + 1] = (data[index + 1] ?? 0) ^ b
    data[index + 2] = (data[index + 2] ?? 0) ^ c
    data[index + 3] = (data[index + 3] ?? 0) ^ d
  }
  if (index < end) data[index] = (data[index] ?? 0) ^ a
  if (index + 1 < end) data[index + 1] = (data[index + 1] ?? 0) ^ b
  if (index + 2 < end) data[index + 2] = (data[index + 2] ?? 0) ^ c
}

/** Whether a close frame may have this code. 1004 to 1006 never appear in one. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1014 && (code < 1004 || code > 1006)) || (code >= 3000 && code < 5000)
}
