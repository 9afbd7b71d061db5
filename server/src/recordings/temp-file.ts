import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { open } from 'node:fs/promises'

/** A file that grows while a session is recorded. What is beyond `maxBytes` is left out. */
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

  /** Appends something whole. Undefined when it is too much or comes too late, else where it begins. */
  append(chunk: Buffer): number | undefined {
    const start = this.#bytes
    // The browser goes on while the file is being closed; one more write would cost all that is not written yet.
    if (this.#isClosing || this.#error !== undefined || start + chunk.length > this.#maxBytes) return undefined
    this.#bytes += chunk.length
    this.#stream.write(chunk)
    return start
  }

  /** Writes everything to the file, and what is to stand in other places. Throws what went wrong with the disk. */
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
