import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import type { BackupFile } from './backup-manifest.ts'
import type { BackupStorage } from './backup-storage.ts'
import { createHashStream } from './hash-stream.ts'

/** Writes the files of a new backup and records their checksums. */
export class BackupWriter {
  readonly #storage: BackupStorage
  readonly #files = new Map<string, BackupFile>()

  constructor(storage: BackupStorage) {
    this.#storage = storage
  }

  /** The files written so far, ordered by path. */
  get files(): BackupFile[] {
    return [...this.#files.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1))
  }

  has(path: string): boolean {
    return this.#files.has(path)
  }

  /** Writes a file and records it. */
  async write(path: string, contents: Readable): Promise<void> {
    const { stream, result } = createHashStream()
    const writing = this.#storage.write(path, stream).catch((error: unknown) => {
      // It may have failed before it read the stream.
      stream.destroy()
      throw error
    })
    const [read, written] = await Promise.allSettled([pipeline(contents, stream), writing])
    // Either failure ends both. The error of the write has the cause in both cases.
    for (const half of [written, read]) if (half.status === 'rejected') throw half.reason
    this.#files.set(path, { path, ...result() })
  }

  /** Deletes everything that was written. */
  async undo(): Promise<void> {
    for (const path of this.#files.keys()) await this.#storage.delete(path).catch(() => undefined)
  }
}
