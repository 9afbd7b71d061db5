import type { Readable } from 'node:stream'

/** Output of one call. */
export interface CapturedOutput {
  readonly text: string
  readonly isTruncated: boolean
}

/** Options of `OutputCapture`. */
export interface OutputCaptureOptions {
  /** Bytes of a call that are kept. */
  readonly maxBytes: number
  /** Bytes of a call after which `onFlood` is called. */
  readonly floodBytes: number
  readonly onFlood: () => void
}

/** Maximum number of chunks kept between calls. Even a paused stream can deliver one. */
const maxEarlyChunks = 16

/**
 * Captures what an interpreter writes to stdout or stderr, call by call. A marker ends each call.
 * Between calls the stream is paused, so that a process in the background cannot flood the server.
 */
export class OutputCapture {
  readonly #stream: Readable
  readonly #options: OutputCaptureOptions
  #chunks: Buffer[] = []
  #bytes = 0
  /** The last bytes, in which the marker may have begun. */
  #tail: Buffer = Buffer.alloc(0)
  #marker: Buffer = Buffer.alloc(0)
  #marked = Promise.withResolvers<void>()
  /** Output that was read between calls. It belongs to the next one. */
  #early: Buffer[] = []

  constructor(stream: Readable, options: OutputCaptureOptions) {
    this.#stream = stream
    this.#options = options
    stream.on('data', (chunk: Buffer) => this.#add(chunk))
    stream.once('close', () => this.#marked.resolve())
    stream.on('error', () => {})
    stream.pause()
  }

  /** Starts the output of a call that ends with `marker`. */
  begin(marker: string): void {
    this.#chunks = []
    this.#bytes = 0
    this.#marker = Buffer.from(marker)
    this.#marked = Promise.withResolvers<void>()
    if (this.#stream.destroyed) this.#marked.resolve()
    this.#stream.resume()
    for (const chunk of this.#early.splice(0)) this.#add(chunk)
  }

  /** Resolves when the marker was read, or the stream is closed. */
  get marked(): Promise<void> {
    return this.#marked.promise
  }

  /** Ends the call and returns its output. */
  end(): CapturedOutput {
    this.#keep(this.#tail)
    this.#tail = Buffer.alloc(0)
    this.#marker = Buffer.alloc(0)
    this.#stream.pause()
    const { maxBytes } = this.#options
    return { text: Buffer.concat(this.#chunks).toString('utf8'), isTruncated: this.#bytes > maxBytes }
  }

  #add(chunk: Buffer): void {
    if (this.#marker.length === 0) {
      // Node.js resumes the streams of a child process that has exited.
      if (this.#early.length < maxEarlyChunks) this.#early.push(chunk)
      return
    }
    const bytes = Buffer.concat([this.#tail, chunk])
    const at = bytes.indexOf(this.#marker)
    if (at === -1) {
      const kept = Math.max(0, bytes.length - this.#marker.length + 1)
      this.#keep(bytes.subarray(0, kept))
      this.#tail = bytes.subarray(kept)
      return
    }
    this.#keep(bytes.subarray(0, at))
    this.#tail = Buffer.alloc(0)
    this.#stream.pause()
    // Written by a process in the background. It belongs to the next call.
    const rest = bytes.subarray(at + this.#marker.length)
    this.#marker = Buffer.alloc(0)
    if (rest.length > 0) this.#early.push(rest)
    this.#marked.resolve()
  }

  #keep(bytes: Buffer): void {
    const { maxBytes, floodBytes, onFlood } = this.#options
    const left = Math.max(0, maxBytes - this.#bytes)
    if (left > 0 && bytes.length > 0) this.#chunks.push(bytes.subarray(0, left))
    const isFlood = this.#bytes <= floodBytes && this.#bytes + bytes.length > floodBytes
    this.#bytes += bytes.length
    if (isFlood) onFlood()
  }
}
