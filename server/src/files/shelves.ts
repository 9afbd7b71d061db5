import type { LiveSession } from '../sessions/live-session.ts'
import { Downloads } from './downloads.ts'
import { Shelf, type FileLimits } from './shelf.ts'

/** The files of all live sessions of this node. */
export class Shelves {
  readonly #limits: FileLimits
  readonly #onError: (error: unknown, what: string) => void
  readonly #shelves = new WeakMap<LiveSession, { readonly shelf: Shelf; readonly downloads: Downloads }>()

  constructor(limits: FileLimits, onError: (error: unknown, what: string) => void) {
    this.#limits = limits
    this.#onError = onError
  }

  /** Starts to keep the downloads of a session. */
  readonly open = (session: LiveSession): void => {
    const shelf = new Shelf(session, this.#limits)
    this.#shelves.set(session, { shelf, downloads: new Downloads(shelf, this.#onError) })
  }

  /** Call when a CDP client has left: what it said about downloads the browser forgets. */
  readonly clientLeft = (session: LiveSession): void => {
    if (!session.ended.aborted) this.#shelves.get(session)?.downloads.collect()
  }

  /** The files of a session. */
  of(session: LiveSession): Shelf {
    return this.#get(session).shelf
  }

  /** Deletes a file; a download that still runs is cancelled. Throws FILE_NOT_FOUND. */
  async remove(session: LiveSession, key: string): Promise<void> {
    const { shelf, downloads } = this.#get(session)
    const { guid, state } = await shelf.remove(key)
    if (guid !== undefined && state.kind === 'running') await downloads.cancel(guid)
  }

  #get(session: LiveSession): { readonly shelf: Shelf; readonly downloads: Downloads } {
    const found = this.#shelves.get(session)
    if (found === undefined) throw new Error(`Session ${session.row.id} was never opened here`)
    return found
  }
}
