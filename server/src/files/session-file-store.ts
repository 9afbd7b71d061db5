import type { LiveSession } from '../sessions/live-session.ts'
import { Downloads } from './downloads.ts'
import { SessionFiles, type FileLimits } from './session-files.ts'

/** The files of all live sessions of this node. */
export class SessionFileStore {
  readonly #limits: FileLimits
  readonly #onError: (error: unknown, what: string) => void
  readonly #sessionFileStore = new WeakMap<
    LiveSession,
    { readonly sessionFiles: SessionFiles; readonly downloads: Downloads }
  >()

  constructor(limits: FileLimits, onError: (error: unknown, what: string) => void) {
    this.#limits = limits
    this.#onError = onError
  }

  /** Starts to keep the downloads of a session. */
  readonly open = (session: LiveSession): void => {
    const sessionFiles = new SessionFiles(session, this.#limits)
    this.#sessionFileStore.set(session, { sessionFiles, downloads: new Downloads(sessionFiles, this.#onError) })
  }

  /** Call when a CDP client has left: what it said about downloads the browser forgets. */
  readonly clientLeft = (session: LiveSession): void => {
    if (!session.ended.aborted) this.#sessionFileStore.get(session)?.downloads.collect()
  }

  /** The files of a session. */
  of(session: LiveSession): SessionFiles {
    return this.#get(session).sessionFiles
  }

  /** Deletes a file; a download that still runs is cancelled. Throws FILE_NOT_FOUND. */
  async remove(session: LiveSession, key: string): Promise<void> {
    const { sessionFiles, downloads } = this.#get(session)
    const { guid, state } = await sessionFiles.remove(key)
    if (guid !== undefined && state.kind === 'running') await downloads.cancel(guid)
  }

  #get(session: LiveSession): { readonly sessionFiles: SessionFiles; readonly downloads: Downloads } {
    const found = this.#sessionFileStore.get(session)
    if (found === undefined) throw new Error(`Session ${session.row.id} was never opened here`)
    return found
  }
}
