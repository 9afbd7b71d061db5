import type { Readable } from 'node:stream'

/** Reads a stream in the pieces that its caller asks for. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #bytes: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = (stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  /**
   * Reads until `end`, which is included. Undefined if the stream ended before the first byte.
   * Throws an Error if it ended later or if the bytes exceed `maxBytes`.
   */
  async readUntil(end: string, maxBytes: number): Promise<string | undefined> {
    let searched = 0
    for (;;) {
      const at = this.#bytes.indexOf(end, searched)
      if (at !== -1 && at + end.length <= maxBytes) return this.#take(at + end.length).toString('latin1')
      if (this.#bytes.length >= maxBytes) throw new Error(`more than ${maxBytes} bytes without an end`)
      searched = Math.max(0, this.#bytes.length - end.length + 1)
      if (await this.#readMore()) continue
      if (this.#bytes.length === 0) return undefined
      throw new Error('the stream ended early')
    }
  }

  /** Reads the given number of bytes as they arrive. Throws an Error if the stream ends early. */
  async *readExactly(length: number): AsyncGenerator<Buffer, void> {
    for (let left = length; left > 0;) {
      if (this.#bytes.length === 0 && !(await this.#readMore())) throw new Error('the stream ended early')
      const bytes = this.#take(left)
      left -= bytes.length
      yield bytes
    }
  }

  /** Stops reading. Returns the bytes that were read too far. The stream can be used otherwise. */
  async release(): Promise<Buffer> {
    await this.#chunks.return?.()
    return this.#take(this.#bytes.length)
  }

  async #readMore(): Promise<boolean> {
    const { value, done } = (await this.#chunks.next()) as IteratorResult<Buffer, undefined>
    if (done === true) return false
    this.#bytes = this.#bytes.length === 0 ? value : Buffer.concat([this.#bytes, value])
    return true
  }

  #take(length: number): Buffer {
    const bytes = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return bytes
  }
}
