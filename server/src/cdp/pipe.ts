import type { Readable, Writable } from 'node:stream'

/** The two ends of `--remote-debugging-pipe`: JSON messages, each terminated by a zero byte. */
export interface CdpPipe {
  /**
   * Sends one message. Returns false if the pipe is full: send nothing more until `onDrain` calls.
   */
  readonly send: (message: string) => boolean
  /**
   * Calls the listener with each complete message. A second listener replaces the first. If the
   * listener throws, the pipe is closed.
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
  const emit = (message: Buffer): void => {
    if (fromBrowser.destroyed) return
    try {
      listener(message)
    } catch (error) {
      // A compromised browser may send anything. That must end its session, not the server.
      process.emitWarning(`Malformed CDP message from the browser: ${String(error)}`, { code: 'BOWLINE_CDP' })
      close()
    }
  }
  fromBrowser.on('data', splitMessages(emit))
  for (const end of [toBrowser, fromBrowser]) {
    end.on('error', () => resolve())
    end.on('close', () => resolve())
  }
  return {
    send: (message) => {
      if (!toBrowser.writable) return false
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

/**
 * Splits a byte stream at zero bytes. A message within one chunk is emitted without a copy.
 * Chromium writes the zero byte separately, so one of 70 responses would wait for it to be read.
 */
function splitMessages(emit: (message: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let isEmitted = false
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const last = chunk.subarray(start, end)
      start = end + 1
      if (isEmitted) {
        isEmitted = false
      } else if (chunks.length === 0) {
        emit(last)
      } else {
        chunks.push(last)
        const message = Buffer.concat(chunks)
        chunks = []
        emit(message)
      }
    }
    if (start === chunk.length) return
    const rest = chunk.subarray(start)
    if (chunks.length === 0 && !isEmitted && rest.length <= maxEarlyBytes && isComplete(rest)) {
      isEmitted = true
      emit(rest)
    } else chunks.push(rest)
  }
}

const closingBrace = 0x7d

/** Whether bytes are a whole message. No part of a JSON object is a JSON value as well. */
function isComplete(bytes: Buffer): boolean {
  if (bytes[bytes.length - 1] !== closingBrace) return false
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    // More bytes follow.
    return false
  }
}
