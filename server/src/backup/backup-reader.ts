import { Writable, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { manifestName, parseManifest, type BackupFile, type BackupManifest } from './backup-manifest.ts'
import type { BackupStorage } from './backup-storage.ts'
import { forEachOf } from './for-each-of.ts'
import { createHashStream } from './hash-stream.ts'

/** Reads the files of a backup and compares their checksums. */
export class BackupReader {
  readonly #storage: BackupStorage
  readonly manifest: BackupManifest

  private constructor(storage: BackupStorage, manifest: BackupManifest) {
    this.#storage = storage
    this.manifest = manifest
  }

  /** Opens a backup. Throws BACKUP_INVALID if it is missing, incomplete, damaged or too new. */
  static async open(storage: BackupStorage): Promise<BackupReader> {
    if (!(await storage.has(manifestName))) {
      throw new BowlineError(
        'BACKUP_INVALID',
        `${storage.name} has no ${manifestName}: it is not a backup, or the backup was interrupted`,
        { hint: 'Choose another backup. The manifest is written last, so a backup without it is incomplete.' },
      )
    }
    return new BackupReader(storage, parseManifest(await text(await storage.read(manifestName)), storage.name))
  }

  /** Reads all files. Throws BACKUP_INVALID at the first that is missing or damaged. */
  async verify(): Promise<void> {
    await this.forEach('', async (_name, contents) => {
      await pipeline(contents, new Writable({ write: (_chunk, _encoding, done) => done() }))
    })
  }

  /** Whether the backup has a file. */
  has(path: string): boolean {
    return this.manifest.files.some((file) => file.path === path)
  }

  /**
   * Returns the contents of a file. The stream fails with BACKUP_INVALID at its end if they differ
   * from the manifest.
   */
  async read(path: string): Promise<Readable> {
    const file = this.manifest.files.find((each) => each.path === path)
    if (file === undefined) throw this.#damaged(path, 'the manifest does not list it')
    return this.#open(file)
  }

  /** Calls `work` with the files below a folder, named relative to it. Default: with all files. */
  async forEach(folder: string, work: (name: string, contents: Readable) => Promise<void>): Promise<void> {
    const start = folder === '' ? '' : `${folder}/`
    const files = this.manifest.files.filter(({ path }) => path.startsWith(start))
    await forEachOf(files, async (file) => work(file.path.slice(start.length), await this.#open(file)))
  }

  async #open(file: BackupFile): Promise<Readable> {
    const { path, bytes, sha256 } = file
    const { stream, result } = createHashStream({
      assert: () => {
        const found = result()
        if (found.bytes !== bytes) throw this.#damaged(path, `it has ${found.bytes} bytes instead of ${bytes}`)
        if (found.sha256 !== sha256) throw this.#damaged(path, 'its checksum differs from the manifest')
      },
    })
    const contents = await this.#storage
      .read(path)
      .catch((cause: unknown) => Promise.reject(this.#unreadable(path, cause)))
    // Before the pipeline, which would end the stream with an error that does not name the file.
    contents.once('error', (cause) => stream.destroy(this.#unreadable(path, cause)))
    // The caller sees the failure of the stream.
    pipeline(contents, stream).catch(() => undefined)
    return stream
  }

  #damaged(path: string, problem: string, cause?: unknown): BowlineError {
    return new BowlineError(
      'BACKUP_INVALID',
      `The file ${path} of the backup in ${this.#storage.name} is damaged: ${problem}`,
      {
        cause,
      },
    )
  }

  #unreadable(path: string, cause: unknown): BowlineError {
    return this.#damaged(path, `it cannot be read: ${messageOf(cause)}`, cause)
  }
}
