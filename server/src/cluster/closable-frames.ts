import { Transform, type TransformCallback } from 'node:stream'

/** The part of the stream that comes next. */
type FramePart = 'handshake' | 'header' | 'payload'

/**
 * Passes on the data of a WebSocket server unchanged. Can end the stream with its own close frame,
 * for which it tracks frame boundaries.
 */
export class ClosableFrames extends Transform {
  #part: FramePart = 'handshake'
  /** Incomplete end of the handshake or start of a frame header. */
  #partial = Buffer.alloc(0)
  #payloadLeft = 0
  #closing: Buffer | undefined
  #isOver = false

  /** Ends the stream with a close frame: immediately, or after the current frame. */
  closeWith(code: number, reason: string): void {
    if (this.#closing !== undefined) return
    const text = Buffer.from(reason)
    // A control frame has at most 125 bytes of payload. The code takes two of them.
    const body = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), text.subarray(0, 123)])
    this.#closing = Buffer.concat([Buffer.from([0x88, body.length]), body])
    this.#closeBetweenFrames()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const isClosing = this.#closing !== undefined
    for (let start = 0; start < chunk.length && !this.#isOver;) {
      const end = this.#advance(chunk, start)
      // Nothing after the current frame may be sent.
      if (isClosing) this.push(chunk.subarray(start, end))
      start = end
      this.#closeBetweenFrames()
    }
    if (!isClosing) this.push(chunk)
    done()
  }

  #closeBetweenFrames(): void {
    const isBetween = this.#part === 'header' && this.#partial.length === 0
    if (this.#closing === undefined || !isBetween || this.#isOver || this.readableEnded) return
    this.#isOver = true
    this.push(this.#closing)
    this.push(null)
  }

  /** Consumes one part of the stream and returns its end in the chunk. */
  #advance(chunk: Buffer, start: number): number {
    if (this.#part === 'payload') {
      const length = Math.min(this.#payloadLeft, chunk.length - start)
      this.#payloadLeft -= length
      if (this.#payloadLeft === 0) this.#part = 'header'
      return start + length
    }
    const before = this.#partial.length
    if (this.#part === 'handshake') {
      const text = Buffer.concat([this.#partial, chunk.subarray(start)])
      const end = text.indexOf('\r\n\r\n')
      this.#partial = end === -1 ? text.subarray(-3) : Buffer.alloc(0)
      if (end === -1) return chunk.length
      this.#part = 'header'
      return start + end + 4 - before
    }
    const header = Buffer.concat([this.#partial, chunk.subarray(start, start + longestHeader - before)])
    const length = headerLength(header)
    if (length === undefined || header.length < length) {
      this.#partial = header
      return chunk.length
    }
    this.#partial = Buffer.alloc(0)
    this.#payloadLeft = payloadLength(header)
    this.#part = this.#payloadLeft === 0 ? 'header' : 'payload'
    return start + length - before
  }
}

/** Longest frame header: two bytes and up to eight of length. Servers do not mask their frames. */
const longestHeader = 10

function headerLength(header: Buffer): number | undefined {
  if (header.length < 2) return undefined
  const short = header.readUInt8(1) & 0x7f
  return short === 127 ? 10 : short === 126 ? 4 : 2
}

function payloadLength(header: Buffer): number {
  const short = header.readUInt8(1) & 0x7f
  if (short === 126) return header.readUInt16BE(2)
  return short === 127 ? Number(header.readBigUInt64BE(2)) : short
}
