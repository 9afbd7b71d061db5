import type { Readable, Writable } from 'node:stream'

/** The two ends of `--remote-debugging-pipe`: JSON messages, each ended by a zero byte. */
export interface CdpPipe {
  /** Sends one message. False means that the pipe is full: hold further messages back until `onDrain` calls. */
  readonly send: (message: string) => boolean
  /** Calls with each whole message. Only one listener: a second one replaces the first. When it throws, the pipe is closed. */
  readonly onMessage: (listener: (message: Buffer) => void) => void
  /** Calls whenever a full pipe has room again. */
  readonly onDrain: (listener: () => void) => void
  /** Stops reading. Chromium waits once the operating system's buffers are full. */
  readonly pause: () => void
  readonly resume: () => void
  /** Resolves when either end is gone. Never rejects. */
  readonly closed: Promise<void>
  /** Closes both ends. Chromium then exits by itself. */
  readonly close: () => void
}

/** Splits a byte stream at zero bytes. A message within one chunk is handed on without a copy. */
function messageSplitter(emit: (message: Buffer) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const last = chunk.subarray(start, end)
      start = end + 1
      if (parts.length === 0) {
        emit(last)
      } else {
        parts.push(last)
        const whole = Buffer.concat(parts)
        parts = []
        emit(whole)
      }
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
}

/** Speaks over Chromium's file descriptors 3 (`toBrowser`) and 4 (`fromBrowser`). */
export function openPipe(toBrowser: Writable, fromBrowser: Readable): CdpPipe {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let receive = (_message: Buffer): void => {}
  const close = (): void => {
    toBrowser.destroy()
    fromBrowser.destroy()
  }
  const take = (message: Buffer): void => {
    if (fromBrowser.destroyed) return
    try {
      receive(message)
    } catch (error) {
      // A browser that was taken over may say anything: it is the end of its session, not of the server.
      process.emitWarning(`A browser said what cannot be understood: ${String(error)}`, { code: 'BOWLINE_CDP' })
      close()
    }
  }
  fromBrowser.on('data', messageSplitter(take))
  for (const end of [toBrowser, fromBrowser]) {
    end.on('error', () => resolve())
    end.on('close', () => resolve())
  }
  return {
    send: (message) => {
      if (!toBrowser.writable) return false
      // What is sent in one go wakes the browser once.
      if (toBrowser.writableCorked === 0) {
        toBrowser.cork()
        process.nextTick(() => toBrowser.uncork())
      }
      return toBrowser.write(`${message}\0`)
    },
    onMessage: (listener) => {
      receive = listener
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
