import type { Abortable } from '../kit/abort.ts'
import type { Session } from './session.ts'

/** What a driver needs of a session. Without `files` it finds them by the address. */
export type DrivenSession = Pick<Session, 'id' | 'cdpUrl'> & Partial<Pick<Session, 'files'>>

/** Connects a browser library to a session. Disposing of what it returns disconnects and leaves the session alive. */
export interface Driver<Handles> {
  readonly name: string
  /** Aborting stops the wait; a connection that is made later is closed. Throws DRIVER_MISSING, DRIVER_FAILED. */
  readonly connect: (session: DrivenSession, options?: Abortable) => Promise<Handles & AsyncDisposable>
}
