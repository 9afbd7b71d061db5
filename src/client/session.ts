import { checkOptions, type OptionNames } from './check-options.ts'
import type { CreateSessionResponse, EndReason, ProfileOutcome, SessionSummary } from '../contract/browser.ts'
import type { UpdateSessionOptions } from '../contract/session-options.ts'
import type { Document } from '../contract/document.ts'
import type { SessionScrapeInput } from '../contract/session-scrape.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import type { BillFields } from './deletion.ts'
import type { ExecuteOptions, ExecuteResult } from './execute.ts'
import type { HandoffOptions, HandoffResult } from './handoff.ts'
import type { FilesTransport } from './file-requests.ts'
import { createSessionFiles, type SessionFiles } from './session-files.ts'
import type { SessionRecordings } from './session-recordings.ts'
import { messageOf } from '../kit/message-of.ts'

/**
 * Event on the client that ended a session. `return`, `throw`, `timeout` and `abort` concern the
 * work, and `throw` also a command of `bowline exec` that failed; `signal` and `exit` concern the
 * process; `end` is a call of `end()`.
 */
export type EndedBy = 'return' | 'throw' | 'timeout' | 'abort' | 'signal' | 'exit' | 'end'

const failures: ReadonlySet<EndedBy> = new Set(['throw', 'timeout', 'abort', 'signal', 'exit'])

/**
 * Duration and cost of a session. Fields that the service does not report are `undefined`.
 *
 * @example
 * ```ts
 * import { Bowline, type SessionBill } from 'bowline'
 *
 * const session = await new Bowline().sessions.create({ ttl: 60 })
 * const { creditsBilled, sessionDurationMs, endReason }: SessionBill = await session.end()
 * console.log(`${creditsBilled} credits for ${sessionDurationMs} ms, ended: ${endReason}`)
 * ```
 */
export interface SessionBill {
  readonly sessionId: string
  /** Name of the session. `undefined` without one. */
  readonly name?: string | undefined
  /** Metadata of the session. `undefined` without any. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly endedBy: EndedBy
  /** Milliseconds from creation to end. */
  readonly sessionDurationMs?: number | undefined
  /**
   * Credits charged for the session. `undefined` means that the service did not report them, not
   * that the session was free.
   */
  readonly creditsBilled?: number | undefined
  /**
   * Why the session ended on the server: `deleted` if the deletion ended it, `ttl` or `idle` if it
   * had ended before. `undefined` if the service does not report it.
   */
  readonly endReason?: EndReason | undefined
  /**
   * Profile of the session, with the version that was saved or the reason why none was. `undefined`
   * without a profile.
   */
  readonly profile?: ProfileOutcome | undefined
  /** DELETE_FAILED if the deletion could not be confirmed. */
  readonly error?: BowlineError | undefined
}

/**
 * Options of `session.end()`. Aborting stops the wait; a deletion that was requested continues.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const session = await bowline.sessions.create({ ttl: 60 })
 * const bill = await session.end({ failed: false, signal: AbortSignal.timeout(10_000) })
 * console.log(bill.endedBy, bill.creditsBilled)
 * ```
 */
export interface EndOptions extends Abortable {
  /** Value of `endedBy` in the bill. Default: `end`. */
  readonly endedBy?: EndedBy | undefined
  /**
   * Keep recordings that are kept only on failure, and do not save a profile that is saved only on
   * success. Default: true if `endedBy` is `throw`, `timeout`, `abort`, `signal` or `exit`.
   */
  readonly failed?: boolean | undefined
}

/**
 * A remote browser session. It lives until it is ended, this process ends, or its lifetime is over.
 *
 * Use `await using` to end it with its scope, or `bowline.withSession()` to also get the bill.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { chromium } from 'playwright-core'
 *
 * const bowline = new Bowline()
 * await using session = await bowline.sessions.create({ ttl: 60 })
 * const browser = await chromium.connectOverCDP(session.cdpUrl)
 * console.log(browser.version(), session.liveViewUrl)
 * ```
 */
export interface Session extends AsyncDisposable {
  readonly id: string
  /** Name of the session. `undefined` without one. */
  readonly name: string | undefined
  /** Metadata of the session. Empty without any. */
  readonly metadata: Readonly<Record<string, string>>
  /** WebSocket URL for the Chrome DevTools Protocol. It contains a token: treat it as a secret. */
  readonly cdpUrl: string
  /** URL of the live view. Empty if the session has none. */
  readonly liveViewUrl: string
  /** URL of the live view that accepts input. Empty if the session has none. */
  readonly interactiveLiveViewUrl: string
  /** End of the lifetime. */
  readonly expiresAt: Date | undefined
  /**
   * Profile with the version that was loaded: `loadedVersion` is `null` if none was saved, for
   * example because the name is misspelled. `undefined` if the session has no profile, or the
   * service does not report it.
   */
  readonly profile: ProfileOutcome | undefined
  /**
   * Downloads of the browser and uploads to it. With Playwright and Puppeteer, files are
   * transferred automatically.
   */
  readonly files: SessionFiles
  /** Recordings, available after the session has ended. See the session option `record`. */
  readonly recordings: SessionRecordings
  /**
   * Scrapes the page that was used last, or that of `targetId`, as it is now. Nothing is loaded,
   * and clients stay connected. Returns Markdown unless `options.formats` requests other formats.
   * Costs as much as a scrape. Rejects with a BowlineError, such as SCRAPE_TIMEOUT while a dialog
   * is open, TARGET_NOT_FOUND or SESSION_ENDED.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   * import { playwright } from 'bowline/playwright'
   *
   * const bowline = new Bowline()
   * await bowline.withSession({ ttl: 60, driver: playwright }, async ({ page, session }) => {
   *   await page.goto('https://example.com')
   *   const { markdown, links } = await session.scrape({ formats: ['markdown', 'links'] })
   *   console.log(markdown, links)
   * })
   * ```
   */
  readonly scrape: (options?: SessionScrapeInput, requestOptions?: Abortable) => Promise<Document>
  /**
   * Hands a page to a human, and resolves when the human is done. The interactive live view shows
   * the instructions. Meanwhile clicks and keys of clients wait or fail. Rejects with HANDOFF_OPEN
   * if the page is handed off already, TARGET_NOT_FOUND or SESSION_ENDED.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   * import { playwright } from 'bowline/playwright'
   *
   * const bowline = new Bowline()
   * await bowline.withSession({ ttl: 600, driver: playwright }, async ({ page, session }) => {
   *   await page.goto('https://example.com')
   *   console.log(`Please help: ${session.interactiveLiveViewUrl}`)
   *   const done = await session.handoff({ instructions: 'Sign in', timeoutMs: 300_000 })
   *   console.log(done.success, done.reason)
   * })
   * ```
   */
  readonly handoff: (options: HandoffOptions) => Promise<HandoffResult>
  /**
   * Runs Node.js, Python or bash code beside the browser, on the server. `page`, `context` and
   * `browser` of Playwright are connected to the session. Each language keeps its bindings until
   * its code is killed or the session ends. Resolves also if the code fails: see `exitCode` and
   * `error`. Rejects with EXECUTION_UNAVAILABLE, EXECUTION_BUSY, EXECUTION_FAILED or SESSION_ENDED.
   * Not retried.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   *
   * await using session = await new Bowline().sessions.create({ ttl: 60 })
   * await session.execute("await page.goto('https://example.com')")
   * const { result } = await session.execute('await page.title()')
   * console.log(result)
   * ```
   */
  readonly execute: (code: string, options?: ExecuteOptions) => Promise<ExecuteResult>
  /** Bill of the session. `undefined` until it has ended. */
  readonly bill: SessionBill | undefined
  /**
   * Changes the lifetime, the name or the metadata of the session. `ttl` counts from now:
   * `{ ttl: 600 }` lets the session end in ten minutes. Rejects with INSUFFICIENT_CREDITS, with
   * BAD_REQUEST above the `--max-ttl` of the server, and with SESSION_ENDED.
   */
  readonly update: (changes: UpdateSessionOptions, requestOptions?: Abortable) => Promise<SessionSummary>
  /**
   * Deletes the session and resolves to its bill. Repeated calls resolve to the same bill. Rejects
   * with DELETE_FAILED if the service did not confirm the deletion after several attempts; the next
   * call tries again.
   */
  readonly end: (options?: EndOptions) => Promise<SessionBill>
  /** Whether `end()` was called. `false` again if the deletion could not be confirmed. */
  readonly isEnding: boolean
  /** Whether `detach()` was called. */
  readonly isDetached: boolean
  /**
   * Keeps the session alive after its scope, its client and this process have ended, for example to
   * inspect it in the live view. `withSession` and `await using` then do not end it, and there is
   * no bill. It ends when `end()` is called, when it is deleted, or when its lifetime is over.
   */
  readonly detach: () => void
}

/** Hooks that a session calls when it ends. */
export interface SessionHooks {
  readonly scrape: Session['scrape']
  readonly handoff: Session['handoff']
  readonly execute: Session['execute']
  readonly createRecordings: () => SessionRecordings
  readonly updateOnServer: (changes: UpdateSessionOptions, requestOptions: Abortable) => Promise<SessionSummary>
  /** Deletes the session on the server. */
  readonly deleteOnServer: (hasFailed: boolean) => Promise<BillFields>
  /** Called once when the session is detached. */
  readonly onDetached: () => void
  /** Called after a confirmed deletion. */
  readonly onDeleted: (bill: SessionBill) => void
  /** Called after a deletion that could not be confirmed. The bill contains the error. */
  readonly onDeletionFailed: (bill: SessionBill) => void
}

/** Fields of a session that `update()` changes. */
type SessionFacts = Pick<CreateSessionResponse, 'id' | 'name' | 'metadata' | 'expiresAt'>

/** Creates a `Session` from the response of the server. */
export function createSession(
  response: CreateSessionResponse,
  hooks: SessionHooks,
  transport?: FilesTransport,
): Session {
  let facts: SessionFacts = response
  let isDetached = false
  let files: SessionFiles | undefined
  let recordings: SessionRecordings | undefined
  const ending = createEnding(() => facts, hooks)

  return {
    id: response.id,
    get name() {
      return facts.name
    },
    get metadata() {
      return facts.metadata ?? {}
    },
    cdpUrl: response.cdpUrl,
    liveViewUrl: response.liveViewUrl ?? '',
    interactiveLiveViewUrl: response.interactiveLiveViewUrl ?? '',
    get expiresAt() {
      return facts.expiresAt === undefined ? undefined : new Date(facts.expiresAt)
    },
    profile: response.profile,
    update: async (changes, requestOptions = {}) => {
      const summary = await hooks.updateOnServer(changes, requestOptions)
      facts = summary
      return summary
    },
    get files() {
      return (files ??= createSessionFiles(response.cdpUrl, transport))
    },
    get recordings() {
      return (recordings ??= hooks.createRecordings())
    },
    get bill() {
      return ending.bill()
    },
    scrape: hooks.scrape,
    handoff: hooks.handoff,
    execute: hooks.execute,
    end: ending.end,
    get isEnding() {
      return ending.isEnding()
    },
    get isDetached() {
      return isDetached
    },
    detach: () => {
      if (isDetached) return
      isDetached = true
      hooks.onDetached()
    },
    [Symbol.asyncDispose]: async () => {
      if (!isDetached) await ending.end()
    },
  }
}

/** Creates the end of a session, which deletes it once and keeps its bill. */
function createEnding(
  factsOf: () => SessionFacts,
  hooks: SessionHooks,
): {
  readonly end: Session['end']
  readonly isEnding: () => boolean
  readonly bill: () => SessionBill | undefined
} {
  let bill: SessionBill | undefined
  let ending: Promise<SessionBill> | undefined

  const deleteAndReport = async (endedBy: EndedBy, hasFailed: boolean): Promise<SessionBill> => {
    try {
      const fields = await hooks.deleteOnServer(hasFailed)
      bill = { ...billedLabels(factsOf()), endedBy, ...fields }
    } catch (cause) {
      ending = undefined
      const error = deleteFailed(factsOf().id, cause)
      hooks.onDeletionFailed({ ...billedLabels(factsOf()), endedBy, error })
      throw error
    }
    hooks.onDeleted(bill)
    return bill
  }

  const end = async (options: EndOptions = {}): Promise<SessionBill> => {
    checkOptions('session.end()', options, endNames)
    const { signal, endedBy = 'end', failed } = options
    signal?.throwIfAborted()
    ending ??= deleteAndReport(endedBy, failed ?? failures.has(endedBy))
    return abortable(ending, signal)
  }

  return { end, isEnding: () => ending !== undefined, bill: () => bill }
}

/** Returns the fields of a bill that identify a session. */
export function billedLabels({
  id,
  name,
  metadata,
}: Pick<CreateSessionResponse, 'id' | 'name' | 'metadata'>): Pick<SessionBill, 'sessionId' | 'name' | 'metadata'> {
  return {
    sessionId: id,
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

const endNames: OptionNames<EndOptions> = { signal: true, endedBy: true, failed: true }

function deleteFailed(id: string, cause: unknown): BowlineError {
  return new BowlineError('DELETE_FAILED', `Session ${id} could not be deleted: ${messageOf(cause)}`, {
    cause,
    requestId: isBowlineError(cause) ? cause.requestId : undefined,
  })
}
