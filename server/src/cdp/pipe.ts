import type { Readable, Writable } from 'node:stream'
import { parseJson } from 'bowline/kit/parse-json'
import { WriteBatch } from '../kit/write-batch.ts'
import { maxMessageBytes, replaceOversized } from './message-limits.ts'

/** The two ends of `--remote-debugging-pipe`: JSON messages, each terminated by a zero byte. */
export interface CdpPipe {
  /**
   * Sends one message. Returns false if the pipe is full: send nothing more until `onDrain` calls.
   * Messages to a closed pipe are dropped.
   */
  readonly send: (message: string) => boolean
  /**
   * Calls the listener with each complete message. A second listener replaces the first. If the
   * listener throws, the pipe is closed. Messages over `maxMessageBytes` are not kept: an error
   * replaces a response, and events are dropped.
   */
  readonly onMessage: (listener: (message: Buffer) => void) => void
  /** Calls the listener when a full pipe can accept messages again. */
  readonly onDrain: (listener: () => void) => void
  /** Stops reading. Chromium blocks once the operating system's buffers are full. */
  readonly pause: () => void
  readonly resume: () => void
  /** Resolves when either end is closed. Never rejects. */
  readonly closed: Promise<void>
  /** Closes both ends. Chromium then exits. */
  readonly close: () => void
}

/** Opens the pipe over Chromium's file descriptors 3 (`toBrowser`) and 4 (`fromBrowser`). */
export function openPipe(toBrowser: Writable, fromBrowser: Readable): CdpPipe {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let listener = (_message: Buffer): void => {}
  const close = (): void => {
    toBrowser.destroy()
    fromBrowser.destroy()
  }
  const batch = new WriteBatch(toBrowser)
  const splitter = new MessageSplitter((message) => {
    if (!fromBrowser.destroyed) listener(message)
  })
  fromBrowser.on('data', (chunk: Buffer) => {
    try {
      splitter.add(chunk)
    } catch (error) {
      // A compromised browser may send anything. That must end its session, not the server.
      process.emitWarning(`Malformed CDP message from the browser: ${String(error)}`, { code: 'BOWLINE_CDP' })
      close()
    }
  })
  for (const end of [toBrowser, fromBrowser]) {
    end.on('error', () => resolve())
    end.on('close', () => resolve())
  }
  return {
    send: (message) => {
      // A closed pipe never drains.
      if (!toBrowser.writable) return true
      batch.beforeWrite()
      return toBrowser.write(`${message}\0`)
    },
    onMessage: (newListener) => {
      listener = newListener
    },
    onDrain: (listener) => {
      toBrowser.on('drain', listener)
    },
    pause: () => fromBrowser.pause(),
    resume: () => fromBrowser.resume(),
    closed,
    close,
  }
}

/** Messages up to this size are emitted without waiting for their zero byte. */
const maxEarlyBytes = 4096

/** Bytes at the start and at the end of a message that tell which command or session it is for. */
const endBytes = 400

/**
 * Splits a byte stream at zero bytes. A message within one chunk is emitted without a copy.
 * Chromium writes the zero byte separately, so one of 70 responses would wait for it to be read.
 */
class MessageSplitter {
  readonly #emit: (message: Buffer) => void
  #chunks: Buffer[] = []
  #bytes = 0
  #isEmitted = false
  /** Last bytes of a message that is too large. */
  #tail: Buffer | undefined

  constructor(emit: (message: Buffer) => void) {
    this.#emit = emit
  }

  add(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const last = chunk.subarray(start, end)
      start = end + 1
      if (this.#isEmitted) this.#isEmitted = false
      else if (this.#bytes === 0) this.#emit(last)
      else this.#complete(last)
    }
    if (start === chunk.length) return
    const rest = chunk.subarray(start)
    if (this.#bytes === 0 && !this.#isEmitted && rest.length <= maxEarlyBytes && isComplete(rest)) {
      this.#isEmitted = true
      this.#emit(rest)
    } else this.#keep(rest)
  }

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#tail !== undefined) this.#tail = lastBytes([this.#tail, chunk])
    else this.#chunks.push(chunk)
    if (this.#tail !== undefined || this.#bytes <= maxMessageBytes) return
    this.#tail = lastBytes(this.#chunks)
    this.#chunks = [Buffer.concat(this.#chunks, endBytes)]
  }

  #complete(last: Buffer): void {
    this.#keep(last)
    const whole = Buffer.concat(this.#chunks)
    const message = this.#tail === undefined ? whole : replaceOversized(whole, this.#tail, this.#bytes)
    this.#chunks = []
    this.#bytes = 0
    this.#tail = undefined
    if (message !== undefined) this.#emit(message)
  }
}

function lastBytes(chunks: readonly Buffer[]): Buffer {
  const ends = chunks.slice(-endBytes).map((chunk) => chunk.subarray(-endBytes))
  return Buffer.from(Buffer.concat(ends).subarray(-endBytes))
}

const closingBrace = 0x7d

/** Whether bytes are a whole message. No part of a JSON object is a JSON value as well. */
function isComplete(bytes: Buffer): boolean {
  return bytes.at(-1) === closingBrace && parseJson(bytes.toString()) !== undefined
}
