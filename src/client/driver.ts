import type { Abortable } from '../kit/abort.ts'
import type { Session } from './session.ts'

/** Connects a browser library to a session. Disposing of what it returns disconnects and leaves the session alive. */
export interface Driver<Handles> {
  readonly name: string
  /** Aborting stops the wait; a connection that is made later is closed. Throws DRIVER_MISSING, DRIVER_FAILED. */
  readonly connect: (session: Pick<Session, 'id' | 'cdpUrl'>, options?: Abortable) => Promise<Handles & AsyncDisposable>
}
