import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { openBlobs, type Blobs } from '../blobs/blobs.ts'
import { reclaimLease, type Lease } from './lease-queries.ts'
import { commitVersionOnce, findUsedBlobs, type ProfileVersionRow } from './profile-queries.ts'
import type { Store } from '../store/store.ts'
import { archiveFolder, writeArchive, type Archive, type ArchiveDeps } from './archives.ts'
import type { SaveRequest } from './save-request.ts'

const pendingSave = z.object({
  name: z.string(),
  profileId: z.string(),
  fence: z.number(),
  blob: z.string(),
  keyId: z.string(),
  contentBytes: z.number(),
  storedBytes: z.number(),
  browser: z.string(),
  sessionId: z.string(),
  /** Whether the archive is in the blob storage, and only the database has to record it. */
  isStored: z.boolean().default(false),
})

/** A profile of an ended session that could not be stored yet. */
type PendingSave = z.output<typeof pendingSave>

/** The sessions that wrote profiles. */
export interface ProfileWriters {
  readonly isActive: (sessionId: string) => Promise<boolean>
  /** Records the version that was saved after the session ended. */
  readonly recordSavedProfile: (sessionId: string, version: number) => Promise<void>
}

/** Dependencies of `PendingSaves`. */
export interface PendingSavesDeps extends ArchiveDeps {
  readonly store: Store
  readonly nodeId: string
  /** Data directory of this node. */
  readonly dataDir: string
  /** Called with each lease to renew until its profile is saved, beyond the end of its session. */
  readonly onLease: (lease: Lease) => void
  readonly onLeaseEnd: (lease: Lease) => void
  readonly onSaved: (profileId: string) => Promise<void>
  /** The sessions that wrote the profiles. */
  readonly sessions: ProfileWriters
  readonly onError: (error: unknown, action: string) => void
}

/** Ending of a record that is being written. */
const draftSuffix = '.new'

const firstRetryMs = 1000
const longestRetryMs = 60_000

/**
 * Keeps profiles that could not be saved, because the blob storage or the database was unavailable,
 * in the data directory, encrypted. Saves them as soon as possible.
 */
export class PendingSaves implements AsyncDisposable {
  readonly #deps: PendingSavesDeps
  readonly #folder: string
  readonly #localBlobs: Blobs
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  private constructor(deps: PendingSavesDeps, folder: string, localBlobs: Blobs) {
    this.#deps = deps
    this.#folder = folder
    this.#localBlobs = localBlobs
  }

  static async open(deps: PendingSavesDeps): Promise<PendingSaves> {
    const folder = join(deps.dataDir, 'pending-profiles')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new PendingSaves(deps, folder, await openBlobs({ kind: 'folder', path: folder }))
  }

  /**
   * Resumes the pending saves of a previous run. Takes back their leases, unless another session
   * has written the profile since. Deletes what a crash has left incomplete.
   */
  async resume(): Promise<void> {
    const records = (await readdir(this.#folder)).filter((each) => each.endsWith('.json'))
    await this.#removeAbandoned(new Set(records))
    for (const name of records) {
      try {
        const save = pendingSave.parse(JSON.parse(await readFile(join(this.#folder, name), 'utf8')))
        if (await reclaimLease(this.#deps.store.db, save, this.#deps.nodeId)) this.#retryLater(save, 0)
        else await this.#drop(save)
      } catch (error) {
        this.#deps.onError(error, `reading the unsaved profile in ${name}`)
      }
    }
  }

  /** Stores a profile in the data directory, to be saved later. Its lease is kept until then. */
  async add(lease: Lease, name: string, request: SaveRequest): Promise<void> {
    const localDeps = { ...this.#deps, blobs: this.#localBlobs }
    const archive = await writeArchive(localDeps, lease.profileId, request)
    try {
      await this.#keep({ ...archive, ...lease, ...writerOf(request), name, isStored: false })
    } catch (error) {
      await this.#localBlobs.delete(archive.blob)
      throw error
    }
  }

  /** Like `add`, for a profile whose archive was stored, but which the database may not know. */
  async addStored(lease: Lease, name: string, archive: Archive, request: SaveRequest): Promise<void> {
    await this.#keep({ ...archive, ...lease, ...writerOf(request), name, isStored: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await Promise.all(this.#running)
  }

  async #keep(save: PendingSave): Promise<void> {
    const path = this.#recordPath(save)
    const draft = `${path}${draftSuffix}`
    try {
      await writeFile(draft, JSON.stringify(save), { mode: 0o600, flush: true })
      await rename(draft, path)
    } catch (error) {
      // A full disk leaves an incomplete file.
      await rm(draft, { force: true })
      throw error
    }
    this.#retryLater(save, firstRetryMs)
  }

  #retryLater(save: PendingSave, delayMs: number): void {
    if (this.#isClosed) return
    this.#deps.onLease(save)
    const timer = setTimeout(() => {
      const running = this.#try(save, delayMs).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }, delayMs).unref()
    this.#timers.set(save.blob, timer)
  }

  async #try(save: PendingSave, waitedMs: number): Promise<void> {
    const { sessions, onError } = this.#deps
    try {
      // The end of the session is recorded after its data was stored. It would overwrite the
      // version recorded here.
      if (await sessions.isActive(save.sessionId)) return this.#retryLater(save, firstRetryMs)
      const saved = await this.#store(save)
      if (saved === undefined) return await this.#drop(save)
      await sessions.recordSavedProfile(save.sessionId, saved.version)
      this.#deps.onLeaseEnd(save)
      await this.#forget(save)
      await this.#deps.onSaved(save.profileId)
    } catch (error) {
      onError(error, `saving the profile "${save.name}", which is kept in the data directory`)
      this.#retryLater(save, Math.min(longestRetryMs, Math.max(firstRetryMs, waitedMs * 2)))
    }
  }

  /** Returns undefined if another session has written the profile since. */
  async #store(save: PendingSave): Promise<ProfileVersionRow | undefined> {
    const { blobs, store } = this.#deps
    if (!save.isStored) {
      // A previous attempt may have left an incomplete blob.
      await blobs.delete(save.blob)
      await blobs.write(save.blob, await this.#localBlobs.read(save.blob))
    }
    return commitVersionOnce(store.db, save, save)
  }

  async #drop(save: PendingSave): Promise<void> {
    const { blobs, store, onLeaseEnd, onError } = this.#deps
    onLeaseEnd(save)
    // An earlier commit may have succeeded. If this fails, the sweep deletes the blob.
    const deleteUnused = async (): Promise<void> => {
      if (!(await findUsedBlobs(store.db, [save.blob])).has(save.blob)) await blobs.delete(save.blob)
    }
    await deleteUnused().catch(() => undefined)
    await this.#forget(save)
    onError(new Error('another session has saved the profile since'), `saving the profile "${save.name}"`)
  }

  async #forget(save: PendingSave): Promise<void> {
    this.#timers.delete(save.blob)
    await rm(this.#recordPath(save), { force: true })
    await this.#localBlobs.delete(save.blob)
  }

  /** Deletes drafts of records, and archives without a record. */
  async #removeAbandoned(records: ReadonlySet<string>): Promise<void> {
    const drafts = (await readdir(this.#folder)).filter((name) => name.endsWith(draftSuffix))
    for (const name of drafts) await rm(join(this.#folder, name), { force: true })
    for await (const blob of this.#localBlobs.list(archiveFolder))
      if (!records.has(basename(this.#recordPath({ blob })))) await this.#localBlobs.delete(blob)
  }

  #recordPath({ blob }: Pick<PendingSave, 'blob'>): string {
    return join(this.#folder, `${blob.replaceAll('/', '-')}.json`)
  }
}

function writerOf({ browser, sessionId = '' }: SaveRequest): Pick<PendingSave, 'browser' | 'sessionId'> {
  return { browser, sessionId }
}
