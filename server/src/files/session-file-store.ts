import type { LiveSession } from '../sessions/live-session.ts'
import { Downloads } from './downloads.ts'
import { SessionFiles, type FileLimits } from './session-files.ts'

/** The files of all live sessions on this node. */
export class SessionFileStore {
  readonly #limits: FileLimits
  readonly #onError: (error: unknown, action: string) => void
  readonly #sessions = new WeakMap<
    LiveSession,
    { readonly sessionFiles: SessionFiles; readonly downloads: Downloads }
  >()

  constructor(limits: FileLimits, onError: (error: unknown, action: string) => void) {
    this.#limits = limits
    this.#onError = onError
  }

  /** Starts tracking the downloads of a session. */
  readonly open = (session: LiveSession): void => {
    const sessionFiles = new SessionFiles(session, this.#limits)
    this.#sessions.set(session, { sessionFiles, downloads: new Downloads(sessionFiles, this.#onError) })
  }

  /**
   * Call when a CDP client has disconnected: the browser then resets the download settings the
   * client made.
   */
  readonly onClientLeave = (session: LiveSession): void => {
    if (!session.ended.aborted) this.#sessions.get(session)?.downloads.enable()
  }

  /** Returns the files of a session. */
  of(session: LiveSession): SessionFiles {
    return this.#get(session).sessionFiles
  }

  /** Deletes a file and cancels its download if it is running. Throws FILE_NOT_FOUND. */
  async remove(session: LiveSession, key: string): Promise<void> {
    const { sessionFiles, downloads } = this.#get(session)
    const { guid, state } = await sessionFiles.remove(key)
    if (guid !== undefined && state.kind === 'running') await downloads.cancel(guid)
  }

  #get(session: LiveSession): { readonly sessionFiles: SessionFiles; readonly downloads: Downloads } {
    const found = this.#sessions.get(session)
    if (found === undefined) throw new Error(`Session ${session.row.id} is not open on this node`)
    return found
  }
}
