import { openAbortScope } from './abort-scope.ts'
import { checkIsObject, checkDriver, checkOptions, sessionNames, type OptionNames } from './check-options.ts'
import { sessionLost } from './connection-lost.ts'
import type { EndReason, ProfileOutcome } from '../contract/browser.ts'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import type { Recording } from '../contract/recordings.ts'
import { abortable, mergeSignals, type Abortable } from '../kit/abort.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { warnDeletionFailed } from './deletion.ts'
import { disconnect } from './disconnect.ts'
import { explainMissingHandles } from './missing-handles.ts'
import type { Driver } from './driver.ts'
import type { SessionOpener } from './open-session.ts'
import type { QueueProgress } from '../contract/queue-progress.ts'
import type { EndOptions, Session, SessionBill } from './session.ts'

/**
 * Options of `bowline.withSession()`: the session options, a driver, a time limit and a signal.
 *
 * @example
 * ```ts
 * import { Bowline, type WithSessionOptions } from 'bowline'
 * import { puppeteer, type PuppeteerHandles } from 'bowline/puppeteer'
 *
 * const bowline = new Bowline()
 * const options: WithSessionOptions<PuppeteerHandles> = {
 *   ttl: 60,
 *   driver: puppeteer,
 *   timeoutMs: 30_000,
 *   signal: AbortSignal.timeout(60_000),
 *   onEnd: ({ endedBy, creditsBilled }) => console.log(endedBy, creditsBilled),
 * }
 * await bowline.withSession(options, async ({ page }) => page.goto('https://example.com'))
 * ```
 */
export interface WithSessionOptions<Handles = unknown> extends CreateSessionOptions, Abortable {
  /** Connects a browser library, such as `playwright`. `work` receives its handles. */
  readonly driver?: Driver<Handles> | undefined
  /**
   * Time limit from the call to the end of `work`, in milliseconds. Then `work` is aborted with
   * TIMEOUT. Default: none.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Called exactly once when the session has ended, or with `bill.error` if the deletion could not
   * be confirmed.
   */
  readonly onEnd?: ((bill: SessionBill) => void) | undefined
  /**
   * Called while the session waits in the queue of the server (option `wait`): at the start and
   * whenever its position changes.
   */
  readonly onQueued?: ((progress: QueueProgress) => void) | undefined
}

/**
 * Argument of the function of `withSession()`, merged with the handles of the driver.
 *
 * @example
 * ```ts
 * import { Bowline, type SessionScope } from 'bowline'
 *
 * const printUrl = ({ session, signal }: SessionScope) => {
 *   signal.throwIfAborted()
 *   console.log(session.liveViewUrl)
 * }
 * await new Bowline().withSession({ ttl: 60 }, printUrl)
 * ```
 */
export interface SessionScope {
  readonly session: Session
  /**
   * Aborts when the signal of the caller aborts, the time limit is reached, or the process receives
   * a signal. With a driver, also with CONNECTION_LOST when the session ends or its connection is
   * lost; `withSession()` then still waits for the function.
   */
  readonly signal: AbortSignal
}

/**
 * Former name of `SessionScope`.
 *
 * @deprecated Use `SessionScope`.
 */
export type Work = SessionScope

/**
 * Result of `withSession`. Fields that the service does not report are `undefined`.
 *
 * @example
 * ```ts
 * import { Bowline, type SessionOutcome } from 'bowline'
 *
 * const outcome: SessionOutcome<string> = await new Bowline().withSession(
 *   { ttl: 60 },
 *   ({ session }) => session.cdpUrl,
 * )
 * console.log(outcome.result, outcome.creditsBilled, outcome.sessionDurationMs)
 * ```
 */
export interface SessionOutcome<Result> {
  /** Return value of `work`. */
  readonly result: Result
  readonly sessionId: string
  /** Name of the session. `undefined` without one. */
  readonly name: string | undefined
  /** Metadata of the session. Empty without any. */
  readonly metadata: Readonly<Record<string, string>>
  /** Milliseconds from creation to end. */
  readonly sessionDurationMs: number | undefined
  /**
   * Credits charged for the session. `undefined` means that the service did not report them, not
   * that the session was free.
   */
  readonly creditsBilled: number | undefined
  /**
   * Why the session ended on the server: `deleted` as a rule, `ttl` or `idle` if it had ended
   * before `work` returned. `undefined` if the service does not report it.
   */
  readonly endReason: EndReason | undefined
  /** Profile of the session, with the version that was saved or the reason why none was. */
  readonly profile: ProfileOutcome | undefined
  /** URL of the live view. Empty if the session has none. */
  readonly liveViewUrl: string
  /** Recordings with their URLs. Empty without the session option `record`. */
  readonly recordings: readonly Recording[]
}

/** Dependencies of `withSession`. */
export interface WithSessionDeps {
  readonly opener: SessionOpener
  /** Abort the work on SIGINT, SIGTERM and SIGHUP. */
  readonly handleSignals: boolean
  /**
   * Called at the end: whether work that did not throw has failed anyway, so that recordings for
   * failures are kept.
   */
  readonly hasFailed?: (() => boolean) | undefined
  /** Called as soon as the service has created the session. */
  readonly onCreated?: ((session: Session) => void) | undefined
}

/** The signals that `SessionScope.signal` is merged from. */
export interface WorkSignals {
  /** Aborts with the signal of the caller, the time limit, or a signal to the process. */
  readonly aborted: AbortSignal
  /** Aborts with CONNECTION_LOST. */
  readonly lost: AbortSignal
}

/** Creates a session, runs `work` on it, and deletes the session however `work` ends. */
export async function withSession<Result, Handles = unknown>(
  deps: WithSessionDeps,
  options: WithSessionOptions<Handles>,
  work: (scope: SessionScope & Handles, signals: WorkSignals) => Result | Promise<Result>,
): Promise<SessionOutcome<Awaited<Result>>> {
  checkIsObject('withSession()', options)
  checkOptions('withSession()', options, names)
  checkDriver('withSession()', options.driver)
  checkTimeLimit(options.timeoutMs)
  const { driver, signal, timeoutMs, onEnd, onQueued, ...create } = options
  signal?.throwIfAborted()
  using abortScope = openAbortScope({ signal, timeoutMs, handleSignals: deps.handleSignals })
  const workFailed = (): true | undefined => deps.hasFailed?.() === true || undefined
  const requestOptions = { signal: abortScope.signal, onEnd, onQueued }
  const session = await deps.opener.open(create, requestOptions).catch(async (error: unknown) => {
    await abortScope.settle()
    throw error
  })
  deps.onCreated?.(session)
  let connected: AsyncDisposable | undefined
  const lost = new AbortController()
  const run = async (): Promise<Awaited<Result>> => {
    const signals: WorkSignals = { aborted: abortScope.signal, lost: lost.signal }
    const scope: SessionScope = { session, signal: mergeSignals(signals.aborted, signals.lost) }
    if (driver === undefined) return await work(explainMissingHandles(scope) as SessionScope & Handles, signals)
    const onLost = (error: BowlineError): void => lost.abort(error)
    const handles = await driver.connect(session, { signal: abortScope.signal, onLost })
    connected = handles
    // The driver may have ignored the signal.
    if (abortScope.signal.aborted) await disconnect(connected)
    abortScope.signal.throwIfAborted()
    return await work({ ...handles, ...scope }, signals)
  }
  let result: Awaited<Result>
  try {
    abortScope.signal.throwIfAborted()
    const running = run()
    // If `work` aborts its own caller, it may reject after the promise that awaits it has been settled.
    running.catch(() => undefined)
    result = await abortable(running, abortScope.signal)
  } catch (error) {
    const endOptions = { endedBy: abortScope.endedBy() ?? 'throw', failed: workFailed() } as const
    // Read before the deletion, since an abort during the deletion did not cause this error.
    const { aborted: isAborted, reason } = abortScope.signal
    if (isAborted) await disconnect(connected)
    // The connection stays open, because its close code can be the only source of the reason.
    const bill = session.isDetached ? undefined : await endAfterFailure(session, endOptions)
    const thrown: unknown =
      isAborted || connected === undefined
        ? (reason ?? error)
        : await causeOf(error, session, { bill, lost: lost.signal })
    await disconnect(connected)
    await abortScope.settle()
    throw thrown
  }
  await disconnect(connected)
  const bill = session.isDetached ? undefined : await endAfterSuccess(session, result, workFailed())
  return toOutcome(session, result, bill, await listRecordings(session, options))
}

function checkTimeLimit(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || timeoutMs > 0) return
  throw new BowlineError('CONFIG_INVALID', `\`timeoutMs\` of withSession() must be more than 0, got ${timeoutMs}`, {
    hint: 'Pass milliseconds, or omit it for no time limit.',
  })
}

const names: OptionNames<WithSessionOptions> = {
  ...sessionNames,
  signal: true,
  driver: true,
  timeoutMs: true,
  onEnd: true,
  onQueued: true,
}

/**
 * Returns CONNECTION_LOST, caused by the error of the work, if the session has ended or its
 * connection was lost before. The errors of libraries only say that something is closed, and come
 * before the close code, since the pages of an ending session are closed first.
 */
async function causeOf(
  error: unknown,
  session: Session,
  { bill, lost }: { readonly bill: SessionBill | undefined; readonly lost: AbortSignal },
): Promise<unknown> {
  if (bill === undefined && !session.isDetached) await abortOf(lost, closeCodeLimitMs)
  const reason = (lost.reason as BowlineError | undefined) ?? sessionLost(session.id, bill?.endReason)
  if (reason === undefined || error === reason) return error
  return new BowlineError(reason.code, reason.message, { hint: reason.hint, cause: error })
}

/** Time to wait for a close code after a failed deletion, in milliseconds. */
const closeCodeLimitMs = 1000

/** Waits until a signal aborts, for at most `limitMs`. */
async function abortOf(signal: AbortSignal, limitMs: number): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await abortable(aborted, AbortSignal.timeout(limitMs)).catch(() => undefined)
}

async function endAfterSuccess(session: Session, result: unknown, failed: boolean | undefined): Promise<SessionBill> {
  try {
    return await session.end({ endedBy: 'return', failed })
  } catch (error) {
    if (!isBowlineError(error)) throw error
    // Keep the result of the work.
    throw new BowlineError('DELETE_FAILED', error.message, {
      details: { result, sessionId: session.id },
      requestId: error.requestId,
      cause: error.cause,
    })
  }
}

/** Ends the session. Returns `undefined` if that failed. */
async function endAfterFailure(session: Session, endOptions: EndOptions): Promise<SessionBill | undefined> {
  try {
    return await session.end(endOptions)
  } catch (error) {
    // The error of the work is rethrown unchanged.
    warnDeletionFailed(error)
    return undefined
  }
}

/** Lists the recordings. Returns none if that fails, so that the result of the work is kept. */
async function listRecordings(
  session: Session,
  { record = false }: CreateSessionOptions,
): Promise<readonly Recording[]> {
  return record === false ? [] : session.recordings.list().catch(() => [])
}

function toOutcome<Result>(
  session: Session,
  result: Result,
  bill: SessionBill | undefined,
  recordings: readonly Recording[],
): SessionOutcome<Result> {
  return {
    result,
    sessionId: session.id,
    name: session.name,
    metadata: session.metadata,
    sessionDurationMs: bill?.sessionDurationMs,
    creditsBilled: bill?.creditsBilled,
    endReason: bill?.endReason,
    profile: bill?.profile,
    liveViewUrl: session.liveViewUrl,
    recordings,
  }
}
