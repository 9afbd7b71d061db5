import type { Abortable } from '../kit/abort.ts'
import type { Session } from './session.ts'

/** What a driver needs of a session. Without `files` it finds them by the address. */
export type DrivenSession = Pick<Session, 'id' | 'cdpUrl'> & Partial<Pick<Session, 'files'>>

/** One connection that serves many pieces of work, one after another. */
export interface Reuse<Handles> {
  /** Handles for the next piece of work: a new page in the same context. Pages that the last one left are closed. */
  readonly next: (options?: Abortable) => Promise<Handles>
  /** Does next to nothing on the page; the time it takes tells how the session feels. */
  readonly probe: (options?: Abortable) => Promise<void>
  /** Aborts when the session cannot go on: its connection was closed, or a page has crashed. The reason is DRIVER_FAILED. */
  readonly failureSignal: AbortSignal
}

/** Connects a browser library to a session. Disposing of what it returns disconnects and leaves the session alive. */
export interface Driver<Handles> {
  readonly name: string
  /** Aborting stops the wait; a connection that is made later is closed. Throws DRIVER_MISSING, DRIVER_FAILED. */
  readonly connect: (session: DrivenSession, options?: Abortable) => Promise<Handles & AsyncDisposable>
  /** Makes a connection fit for many pieces of work. Without it, they share its handles. */
  reuse?(handles: Handles): Reuse<Handles>
}
