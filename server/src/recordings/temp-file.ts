import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { open } from 'node:fs/promises'

/** A file that is appended to during a recording, up to `maxBytes`. */
export class TempFile {
  readonly path: string
  readonly #maxBytes: number
  readonly #stream: ReturnType<typeof createWriteStream>
  #bytes = 0
  #isClosing = false
  #error: unknown

  constructor(path: string, maxBytes: number) {
    this.path = path
    this.#maxBytes = maxBytes
    this.#stream = createWriteStream(path, { mode: 0o600 })
    this.#stream.on('error', (error) => {
      this.#error = error
    })
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Appends a chunk and returns its position. `undefined` if the chunk exceeds the limit or the
   * file is closed.
   */
  append(chunk: Buffer): number | undefined {
    const start = this.#bytes
    // Events may still arrive while the file is closed. A write after `end` would fail the stream.
    if (this.#isClosing || this.#error !== undefined || start + chunk.length > this.#maxBytes) return undefined
    this.#bytes += chunk.length
    this.#stream.write(chunk)
    return start
  }

  /** Flushes the file, applies `patches` and closes it. Throws the first write error. */
  async close(patches: readonly { readonly position: number; readonly bytes: Buffer }[] = []): Promise<void> {
    this.#isClosing = true
    this.#stream.end()
    if (!this.#stream.closed && this.#error === undefined) await once(this.#stream, 'close')
    if (this.#error !== undefined) throw this.#error
    if (patches.length === 0) return
    await using file = await open(this.path, 'r+')
    for (const { position, bytes } of patches) await file.write(bytes, 0, bytes.length, position)
  }
}
