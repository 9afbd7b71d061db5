import { Transform, type TransformCallback } from 'node:stream'

/** What is expected next on the way from the server to the client. */
type Part = 'handshake' | 'header' | 'payload'

/**
 * Passes on what a WebSocket server sends, unchanged, and can end it with a close frame of its own. It follows the frames
 * so that the close frame comes between two of them.
 */
export class ClosableFrames extends Transform {
  #part: Part = 'handshake'
  /** The end of the handshake, or the beginning of a frame's header, as far as it has come. */
  #begun = Buffer.alloc(0)
  #payloadLeft = 0
  #closing: Buffer | undefined
  #isOver = false

  /** Ends the stream with a close frame: at once, or after the frame that is under way. */
  closeWith(code: number, reason: string): void {
    if (this.#closing !== undefined) return
    const text = Buffer.from(reason)
    // A control frame has at most 125 bytes, two of which are the code.
    const body = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), text.subarray(0, 123)])
    this.#closing = Buffer.concat([Buffer.from([0x88, body.length]), body])
    this.#closeBetweenFrames()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const isClosing = this.#closing !== undefined
    for (let start = 0; start < chunk.length && !this.#isOver;) {
      const end = this.#follow(chunk, start)
      // Nothing beyond the frame that is under way may be sent.
      if (isClosing) this.push(chunk.subarray(start, end))
      start = end
      this.#closeBetweenFrames()
    }
    if (!isClosing) this.push(chunk)
    done()
  }

  #closeBetweenFrames(): void {
    const isBetween = this.#part === 'header' && this.#begun.length === 0
    if (this.#closing === undefined || !isBetween || this.#isOver || this.readableEnded) return
    this.#isOver = true
    this.push(this.#closing)
    this.push(null)
  }

  /** Follows one part of what is sent and returns where it ends in the chunk. */
  #follow(chunk: Buffer, start: number): number {
    if (this.#part === 'payload') {
      const length = Math.min(this.#payloadLeft, chunk.length - start)
      this.#payloadLeft -= length
      if (this.#payloadLeft === 0) this.#part = 'header'
      return start + length
    }
    const before = this.#begun.length
    if (this.#part === 'handshake') {
      const text = Buffer.concat([this.#begun, chunk.subarray(start)])
      const end = text.indexOf('\r\n\r\n')
      this.#begun = end === -1 ? text.subarray(-3) : Buffer.alloc(0)
      if (end === -1) return chunk.length
      this.#part = 'header'
      return start + end + 4 - before
    }
    const header = Buffer.concat([this.#begun, chunk.subarray(start, start + longestHeader - before)])
    const length = headerLength(header)
    if (length === undefined || header.length < length) {
      this.#begun = header
      return chunk.length
    }
    this.#begun = Buffer.alloc(0)
    this.#payloadLeft = payloadLength(header)
    this.#part = this.#payloadLeft === 0 ? 'header' : 'payload'
    return start + length - before
  }
}

/** Servers do not mask their frames: two bytes and up to eight of length. */
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
