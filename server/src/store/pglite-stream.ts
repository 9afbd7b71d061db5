import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

interface Write {
  readonly chunk: Uint8Array
}

/**
 * The connection of a `pg` client to PGlite, which speaks the protocol of PostgreSQL. Passes all
 * messages of a statement at once: PGlite's own client enters the database for each of them.
 * A crash of the database destroys the stream with its error.
 */
export class PgliteStream extends Duplex {
  readonly #lite: PGlite

  constructor(lite: PGlite) {
    super()
    this.#lite = lite
  }

  /** Emits `connect`, which the client waits for. */
  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }

  /** Does nothing: the client calls it on every stream. */
  setNoDelay(): void {}

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(chunk, done)
  }

  override _writev(writes: readonly Write[], done: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(writes.map(({ chunk }) => chunk)), done)
  }

  #send(messages: Uint8Array, done: (error?: Error | null) => void): void {
    try {
      const responses = this.#lite.execProtocolRawSync(messages)
      if (responses.length > 0) this.push(responses)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}
