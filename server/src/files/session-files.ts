import { randomBytes } from 'node:crypto'
import { constants, type ReadStream } from 'node:fs'
import { chmod, mkdir, open, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionFile } from 'bowline/contract/files'
import { BowlineError } from 'bowline/kit/errors'
import { freeFileName } from 'bowline/kit/file-name'
import type { Browser } from '../browsers/launch.ts'
import { sessionEnded } from '../kit/session-ended.ts'
import { browserPath } from './browser-path.ts'
import { splitPath } from './split-path.ts'
import { describeEntry, type FileEntry } from './file-entry.ts'

/** The session that files belong to. */
export interface FilesOwner {
  readonly browser: Pick<Browser, 'folder' | 'router'>
  /** Aborts when the session ends. */
  readonly ended: AbortSignal
  /** Records a use of the session. */
  readonly touch: () => void
}

/** Limits on the files of one session. */
export interface FileLimits {
  readonly maxFiles: number
  readonly maxFilesMb: number
}

/** A file that a client uploads. */
export interface Upload {
  readonly name: string
  readonly group: string | undefined
  /** Milliseconds since the epoch. Undefined: the time of the upload. */
  readonly lastModified: number | undefined
  /** Size in bytes that the client announced. */
  readonly announcedBytes: number | undefined
  readonly body: Readable
}

/** A file that was uploaded. */
export interface ReceivedFile {
  readonly file: SessionFile
  /** Path as the browser sees it. */
  readonly path: string
}

const bytesPerMb = 1_000_000

/** Number of failed downloads that stay in the list. */
const maxFailed = 100

/** The files of one session. They are stored in its browser's folder and removed with it. */
export class SessionFiles {
  readonly session: FilesOwner
  readonly #limits: FileLimits
  readonly #entries = new Map<string, FileEntry>()

  constructor(session: FilesOwner, limits: FileLimits) {
    this.session = session
    this.#limits = limits
  }

  /** Lists all files, oldest first. */
  list(): readonly SessionFile[] {
    return [...this.#entries.values()].map(describeEntry)
  }

  /** Finds the file with this name, else the download with this guid. */
  find(key: string): FileEntry | undefined {
    return this.#entries.get(key) ?? [...this.#entries.values()].find((entry) => entry.guid === key)
  }

  /** Adds an entry for a file that is about to be written. Makes its name unique. */
  add(file: Pick<FileEntry, 'name' | 'direction' | 'path' | 'guid'>): FileEntry {
    const failed = [...this.#entries.values()].filter((entry) => entry.state.kind === 'failed')
    if (failed.length >= maxFailed) this.#entries.delete(failed[0]?.name ?? '')
    const name = freeFileName(file.name, (name) => this.#entries.has(name))
    const entry: FileEntry = { ...file, name, createdAt: new Date(), size: 0, state: { kind: 'running' } }
    this.#entries.set(name, entry)
    return entry
  }

  /**
   * Returns an error if `moreFiles` and `moreBytes` would exceed the limits of the session, else
   * undefined.
   */
  limitError(moreFiles: number, moreBytes: number): BowlineError | undefined {
    const kept = [...this.#entries.values()].filter((entry) => entry.state.kind !== 'failed')
    const { maxFiles, maxFilesMb } = this.#limits
    if (kept.length + moreFiles > maxFiles) {
      return new BowlineError('FILE_QUOTA_EXCEEDED', `A session can have at most ${maxFiles} files`)
    }
    const bytes = kept.reduce((sum, entry) => sum + entry.size, moreBytes)
    if (bytes <= maxFilesMb * bytesPerMb) return undefined
    return new BowlineError('FILE_QUOTA_EXCEEDED', `The files of a session can have at most ${maxFilesMb} MB in total`)
  }

  /**
   * Stores an uploaded file.
   * Throws BAD_REQUEST, CONFLICT or FILE_QUOTA_EXCEEDED, or SESSION_ENDED if the session ends
   * during the upload.
   */
  async receive(upload: Upload): Promise<ReceivedFile> {
    try {
      return await this.#receive(upload)
    } finally {
      upload.body.destroy()
    }
  }

  async #receive(upload: Upload): Promise<ReceivedFile> {
    const parts = splitPath(upload.name)
    const refusal = this.limitError(1, upload.announcedBytes ?? 0)
    if (refusal !== undefined) throw refusal
    const { folder } = this.session.browser
    const groupDir = join(folder.uploadsDir, upload.group ?? randomBytes(9).toString('base64url'))
    const path = join(groupDir, ...parts)
    const entry = this.add({ name: parts.join('/'), direction: 'upload', path, guid: undefined })
    try {
      await this.#write(entry, groupDir, upload.body)
      if (upload.lastModified !== undefined) await setModificationTime(path, upload.lastModified)
    } catch (error) {
      this.#entries.delete(entry.name)
      throw this.#uploadError(error, upload.name)
    }
    entry.state = { kind: 'complete' }
    return { file: describeEntry(entry), path: browserPath(folder, path) }
  }

  /**
   * Opens a file for reading, also one whose download ends within a second. Throws FILE_NOT_FOUND
   * or FILE_INCOMPLETE.
   */
  async open(key: string): Promise<{
    readonly entry: FileEntry
    readonly read: (range?: ByteRange) => ReadStream
    readonly close: () => Promise<void>
  }> {
    const entry = this.#require(key)
    if (entry.direction === 'download') await waitForEnd(entry)
    if (entry.state.kind !== 'complete') {
      const reason = entry.state.kind === 'failed' ? entry.state.error : 'it is still being transferred'
      throw new BowlineError('FILE_INCOMPLETE', `${entry.name} is not complete: ${reason}`)
    }
    // A compromised browser may have replaced the file by a link to a file of the server.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const handle = await open(entry.path, flags).catch((error: unknown) => {
      throw isNoFile(error) ? notFound(key) : error
    })
    try {
      const found = await handle.stat()
      if (!found.isFile() || found.nlink > 1) throw notFound(key)
      entry.size = found.size
    } catch (error) {
      await handle.close()
      throw error
    }
    return {
      entry,
      read: (range) => handle.createReadStream({ ...range, autoClose: true }),
      close: async () => handle.close(),
    }
  }

  /** Deletes a file. Throws FILE_NOT_FOUND. */
  async remove(key: string): Promise<FileEntry> {
    const entry = this.#require(key)
    this.#entries.delete(entry.name)
    await rm(entry.path, { force: true })
    return entry
  }

  #require(key: string): FileEntry {
    const entry = this.find(key)
    if (entry === undefined) throw notFound(key)
    return entry
  }

  async #write(entry: FileEntry, groupDir: string, body: Readable): Promise<void> {
    const { uploadsDir } = this.session.browser.folder
    await mkdir(dirname(entry.path), { recursive: true })
    // The browser's user must be able to read the file, regardless of the server's umask.
    for (let dir = dirname(entry.path); dir.length >= groupDir.length && dir !== uploadsDir; dir = dirname(dir)) {
      await chmod(dir, 0o755)
    }
    const file = await open(entry.path, 'wx', 0o644)
    try {
      await file.chmod(0o644)
      await pipeline(body, this.#limitBytes(entry), file.createWriteStream(), { signal: this.session.ended })
    } catch (error) {
      // The stream may have closed the file. Throw the error of the upload.
      await file.close().catch(() => undefined)
      await rm(entry.path, { force: true })
      throw error
    }
  }

  /** Counts the bytes of an upload and fails it at the limit. */
  #limitBytes(entry: FileEntry): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.session.touch()
        entry.size += chunk.length
        done(this.limitError(0, 0) ?? null, chunk)
      },
    })
  }

  #uploadError(error: unknown, name: string): unknown {
    if (this.session.ended.aborted) return sessionEnded()
    const code = Error.isError(error) && 'code' in error ? error.code : undefined
    if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR') {
      return new BowlineError('CONFLICT', `The group already has a file at ${JSON.stringify(name)}`)
    }
    return error
  }
}

/** A range of bytes. `start` and `end` are both inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Whether a file could not be opened because it is missing, a link (ELOOP) or a socket (ENXIO). */
function isNoFile(error: unknown): boolean {
  return Error.isError(error) && 'code' in error && ['ENOENT', 'ELOOP', 'ENXIO'].includes(String(error.code))
}

function notFound(key: string): BowlineError {
  return new BowlineError('FILE_NOT_FOUND', `The session has no file ${JSON.stringify(key.slice(0, 200))}`)
}

/**
 * Waits up to a second for the end of a download. The browser reports it to each of its clients,
 * and one of them can ask for the file before the report to the server has arrived.
 */
async function waitForEnd(entry: FileEntry): Promise<void> {
  for (let waitedMs = 0; entry.state.kind === 'running' && waitedMs < 1000; waitedMs += 20) await sleep(20)
}

/**
 * Sets the modification time, in milliseconds. Adds half a millisecond, because the conversion to
 * seconds and back rounds towards zero. Passes text, because Node.js replaces negative numbers with
 * the current time.
 */
async function setModificationTime(path: string, timeMs: number): Promise<void> {
  await utimes(path, new Date(), String((timeMs + Math.sign(timeMs) * 0.5) / 1000))
}
