import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { openBlobs, type Blobs } from '../store/blobs.ts'
import { reclaimLease } from '../store/profile-leases.ts'
import { commitVersion, type ProfileVersionRow } from '../store/profiles.ts'
import { findSession, recordSavedProfile } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { writeArchive, type ArchiveDeps } from './archives.ts'
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
})

/** A profile that a session left while the storage of profiles was away. */
type PendingSave = z.output<typeof pendingSave>

/** What pending saves are made with. */
export interface PendingSavesDeps extends ArchiveDeps {
  readonly store: Store
  readonly nodeId: string
  /** Data directory of this node. */
  readonly dataDir: string
  /** Called with each lease that outlives its session until the profile is saved: it is to be renewed. */
  readonly onLease: (lease: Pick<PendingSave, 'profileId' | 'fence'>) => void
  readonly onLeaseEnd: (lease: Pick<PendingSave, 'profileId' | 'fence'>) => void
  readonly onSaved: (profileId: string) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

const firstRetryMs = 1000
const longestRetryMs = 60_000

/** Keeps profiles that could not be stored, encrypted in the data directory, and stores them as soon as that works. */
export class PendingSaves implements AsyncDisposable {
  readonly #parts: PendingSavesDeps
  readonly #folder: string
  readonly #spool: Blobs
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  private constructor(parts: PendingSavesDeps, folder: string, spool: Blobs) {
    this.#parts = parts
    this.#folder = folder
    this.#spool = spool
  }

  static async open(parts: PendingSavesDeps): Promise<PendingSaves> {
    const folder = join(parts.dataDir, 'pending-profiles')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new PendingSaves(parts, folder, await openBlobs({ kind: 'folder', path: folder }))
  }

  /** Takes back the leases of what a former run could not store, unless others have written since, and goes on. */
  async resume(): Promise<void> {
    for (const name of (await readdir(this.#folder)).filter((each) => each.endsWith('.json'))) {
      try {
        const save = pendingSave.parse(JSON.parse(await readFile(join(this.#folder, name), 'utf8')))
        if (await reclaimLease(this.#parts.store.db, save, this.#parts.nodeId)) this.#keepTrying(save, 0)
        else await this.#giveUp(save)
      } catch (error) {
        this.#parts.onError(error, `reading the unsaved profile in ${name}`)
      }
    }
  }

  /** Packs a profile into the data directory and stores it later. The lease is held until then. */
  async add(
    lease: { readonly profileId: string; readonly fence: number },
    name: string,
    request: SaveRequest,
  ): Promise<void> {
    const { userDataDir, extras, browser, sessionId = '' } = request
    const parts = { ...this.#parts, blobs: this.#spool }
    const archive = await writeArchive(parts, lease.profileId, { userDataDir, extras })
    const save = { ...archive, ...lease, name, browser, sessionId }
    const path = this.#recordOf(save)
    await writeFile(`${path}.new`, JSON.stringify(save), { mode: 0o600, flush: true })
    await rename(`${path}.new`, path)
    this.#keepTrying(save, firstRetryMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await Promise.all(this.#running)
  }

  #keepTrying(save: PendingSave, delayMs: number): void {
    if (this.#isClosed) return
    this.#parts.onLease(save)
    const timer = setTimeout(() => {
      const running = this.#try(save, delayMs).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }, delayMs).unref()
    this.#timers.set(save.blob, timer)
  }

  async #try(save: PendingSave, waitedMs: number): Promise<void> {
    const { store, onError } = this.#parts
    try {
      // Its end is written only once all that it leaves is stored, and would overwrite what is written here.
      const session = await findSession(store.db, save.sessionId)
      if (session?.status === 'active') return this.#keepTrying(save, firstRetryMs)
      const saved = await this.#store(save)
      if (saved === undefined) return await this.#giveUp(save)
      await recordSavedProfile(store.db, save.sessionId, saved.version)
      this.#parts.onLeaseEnd(save)
      await this.#forget(save)
      await this.#parts.onSaved(save.profileId)
    } catch (error) {
      onError(error, `saving the profile "${save.name}", which is kept in the data directory`)
      this.#keepTrying(save, Math.min(longestRetryMs, Math.max(firstRetryMs, waitedMs * 2)))
    }
  }

  /** Undefined when others have written the profile since. */
  async #store(save: PendingSave): Promise<ProfileVersionRow | undefined> {
    const { blobs, store } = this.#parts
    // What a try before has written may be whole or not.
    await blobs.delete(save.blob)
    await blobs.write(save.blob, await this.#spool.read(save.blob))
    return commitVersion(store.db, save, save)
  }

  async #giveUp(save: PendingSave): Promise<void> {
    this.#parts.onLeaseEnd(save)
    await this.#parts.blobs.delete(save.blob).catch(() => undefined)
    await this.#forget(save)
    this.#parts.onError(new Error('another session has written it since'), `saving the profile "${save.name}"`)
  }

  async #forget(save: PendingSave): Promise<void> {
    this.#timers.delete(save.blob)
    await rm(this.#recordOf(save), { force: true })
    await this.#spool.delete(save.blob)
  }

  #recordOf({ blob }: Pick<PendingSave, 'blob'>): string {
    return join(this.#folder, `${blob.replaceAll('/', '-')}.json`)
  }
}
