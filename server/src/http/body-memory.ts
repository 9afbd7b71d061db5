import { BowlineError } from 'bowline/kit/errors'

/** Maximum size of all files that the server holds in memory to parse them, in bytes. */
const defaultLimitBytes = 512 * 1024 * 1024

/** The bytes that one request holds. Disposing it releases them. */
export interface HeldBytes extends Disposable {
  /** Adds bytes. Throws SERVER_BUSY if the requests then hold too many in total. */
  readonly add: (bytes: number) => void
  /** Releases some of the bytes. */
  readonly release: (bytes: number) => void
  /** Throws SERVER_BUSY if there is no room for a body of this size. Adds nothing. */
  readonly assertRoom: (bytes: number) => void
}

/**
 * Limits the memory for the bodies of all requests together. Each body counts from its first byte
 * until its request ends, because the parser works on it.
 */
export class BodyMemory {
  readonly #limitBytes: number
  #bytes = 0

  constructor({ limitBytes = defaultLimitBytes }: { readonly limitBytes?: number | undefined } = {}) {
    this.#limitBytes = limitBytes
  }

  /** Returns the bytes of a new request, which are none. */
  open(): HeldBytes {
    let held = 0
    const assertRoom = (bytes: number): void => {
      if (this.#bytes + bytes > this.#limitBytes) throw busy(this.#limitBytes)
    }
    const release = (bytes: number): void => {
      held -= bytes
      this.#bytes -= bytes
    }
    return {
      assertRoom,
      release,
      add: (bytes) => {
        assertRoom(bytes)
        held += bytes
        this.#bytes += bytes
      },
      [Symbol.dispose]: () => release(held),
    }
  }
}

function busy(limitBytes: number): BowlineError {
  return new BowlineError(
    'SERVER_BUSY',
    `The server is receiving and parsing files of ${Math.round(limitBytes / 1024 / 1024)} MB, its maximum`,
    { retryAfterSeconds: 5 },
  )
}
