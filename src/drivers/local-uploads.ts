import { randomUUID } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import type { SessionFiles } from '../client/session-files.ts'

/** Concurrent uploads per directory. */
const uploadConcurrency = 4

/** Uploads local files that a library names, and returns their paths on the server. */
export class LocalUploads {
  readonly #files: SessionFiles
  readonly #signal: AbortSignal
  /** Uploads by path, inode, size and times, so that unchanged files are uploaded once. */
  readonly #sent = new Map<string, Promise<string>>()

  constructor(files: SessionFiles, signal: AbortSignal) {
    this.#files = files
    this.#signal = signal
  }

  /**
   * Uploads a local file or directory and returns its path in the session. A path that does not
   * exist locally is returned unchanged, as a path of the session.
   */
  async send(path: string): Promise<string> {
    // Not a local path.
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) return path
    if (found.isDirectory()) return this.#sendFolder(path)
    // Programs can set the modification time, but not the time of the last change.
    const key = `${path}\0${found.ino}\0${found.size}\0${found.mtimeMs}\0${found.ctimeMs}`
    const sending = this.#sent.get(key) ?? this.#sendFile(path)
    this.#sent.set(key, sending)
    return sending.catch((error: unknown) => {
      this.#sent.delete(key)
      throw error
    })
  }

  async #sendFile(path: string): Promise<string> {
    return (await this.#files.upload(path, { signal: this.#signal })).path
  }

  async #sendFolder(folder: string): Promise<string> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    if (paths.length === 0) throw new Error(`${folder} contains no files`)
    const group = randomUUID()
    let root = ''
    const queue = paths.values()
    const work = async (): Promise<void> => {
      for (const path of queue) {
        const inside = relative(folder, path).replaceAll(sep, '/')
        const sent = await this.#files.upload(path, {
          name: `${basename(folder)}/${inside}`,
          group,
          signal: this.#signal,
        })
        root = sent.path.slice(0, -inside.length - 1)
      }
    }
    await Promise.all(Array.from({ length: uploadConcurrency }, work))
    return root
  }
}
