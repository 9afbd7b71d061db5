import { checkOptions, type OptionNames } from './check-options.ts'
import type { CreateSessionResponse } from '../contract/browser.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import type { Figures } from './deletion.ts'
import type { EndedBy, SessionBill } from './session-bill.ts'
import { createSessionFiles, type FilesTransport, type SessionFiles } from './session-files.ts'
import type { SessionRecordings } from './session-recordings.ts'
import { isError } from '../kit/is-error.ts'

/** How a session is ended. Aborting stops the wait; the deletion goes on. */
export interface EndOptions extends Abortable {
  /** What the bill names as the cause. Default `end`. */
  readonly endedBy?: EndedBy | undefined
  /** Whether the work has failed, so that recordings for failures are kept. Default: whether `endedBy` is `throw` or `timeout`. */
  readonly failed?: boolean | undefined
}

/** A remote browser. It lives until it is ended, its process ends, or its lifetime is over. */
export interface Session extends AsyncDisposable {
  readonly id: string
  /** WebSocket address for the Chrome DevTools Protocol. Holds a token: treat it as a secret. */
  readonly cdpUrl: string
  /** Page that shows the session. Empty when it has no live view. */
  readonly liveViewUrl: string
  /** Page that shows the session and passes input on. Empty when it has no live view. */
  readonly interactiveLiveViewUrl: string
  /** When the total lifetime is over. */
  readonly expiresAt: Date | undefined
  /** What its browser downloaded and what it was sent. With a driver, both happen by themselves. */
  readonly files: SessionFiles
  /** What was recorded of it, once it has ended; see the option `record`. */
  readonly recordings: SessionRecordings
  /** The bill, once the session has ended. */
  readonly bill: SessionBill | undefined
  /**
   * Deletes the session and resolves to its bill. Every call resolves to the same bill. Rejects with DELETE_FAILED when
   * the service did not confirm the deletion after several tries; a later call tries again.
   */
  readonly end: (options?: EndOptions) => Promise<SessionBill>
  /** Whether nothing but `end()`, a deletion or the end of its lifetime ends it any more. */
  readonly isDetached: boolean
  /**
   * Lets the session live on after its scope, its client and this process, for somebody to look at it: `withSession` and
   * `await using` leave it, and give no bill. It ends by `end()`, by a deletion, or when its lifetime is over.
   */
  readonly detach: () => void
}

/** What a session calls as it ends. */
export interface SessionHooks {
  readonly recordings: SessionRecordings
  /** Deletes the session at the service. */
  readonly remove: (hasFailed: boolean) => Promise<Figures>
  /** Called once when the session is detached. */
  readonly onDetached: () => void
  /** Called after a confirmed deletion. */
  readonly onDeleted: (bill: SessionBill) => void
  /** Called after a deletion that could not be confirmed, with the error in the bill. */
  readonly onFailed: (bill: SessionBill) => void
}

/** Makes the session that a service's answer tells of. */
export function createSession(answer: CreateSessionResponse, hooks: SessionHooks, transport?: FilesTransport): Session {
  let bill: SessionBill | undefined
  let ending: Promise<SessionBill> | undefined
  let isDetached = false

  const remove = async (endedBy: EndedBy, hasFailed: boolean): Promise<SessionBill> => {
    try {
      bill = { sessionId: answer.id, endedBy, ...(await hooks.remove(hasFailed)) }
    } catch (cause) {
      ending = undefined
      const error = deleteFailed(answer.id, cause)
      hooks.onFailed({ sessionId: answer.id, endedBy, error })
      throw error
    }
    hooks.onDeleted(bill)
    return bill
  }

  const end = async (options: EndOptions = {}): Promise<SessionBill> => {
    checkOptions('session.end()', options, endNames)
    const { signal, endedBy = 'end', failed } = options
    ending ??= remove(endedBy, failed ?? ['throw', 'timeout'].includes(endedBy))
    return abortable(ending, signal)
  }

  return {
    id: answer.id,
    cdpUrl: answer.cdpUrl,
    liveViewUrl: answer.liveViewUrl ?? '',
    interactiveLiveViewUrl: answer.interactiveLiveViewUrl ?? '',
    expiresAt: answer.expiresAt === undefined ? undefined : new Date(answer.expiresAt),
    files: createSessionFiles(answer.cdpUrl, transport),
    recordings: hooks.recordings,
    get bill() {
      return bill
    },
    end,
    get isDetached() {
      return isDetached
    },
    detach: () => {
      if (isDetached) return
      isDetached = true
      hooks.onDetached()
    },
    [Symbol.asyncDispose]: async () => {
      if (!isDetached) await end()
    },
  }
}

const endNames: OptionNames<EndOptions> = { signal: true, endedBy: true, failed: true }

function deleteFailed(id: string, cause: unknown): BowlineError {
  return new BowlineError('DELETE_FAILED', `Session ${id} could not be deleted: ${messageOf(cause)}`, {
    cause,
    requestId: isBowlineError(cause) ? cause.requestId : undefined,
  })
}

function messageOf(cause: unknown): string {
  return isError(cause) ? cause.message : String(cause)
}
