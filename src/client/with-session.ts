import { checkOptions, sessionNames, type OptionNames } from './check-options.ts'
import type { CreateSessionOptions, ProfileOutcome } from '../contract/browser.ts'
import type { Recording } from '../contract/recordings.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { longestTimerMs } from '../kit/longest-timer.ts'
import type { Driver } from './driver.ts'
import { processGuard } from './process-guard.ts'
import type { EndOptions, Session } from './session.ts'
import type { EndedBy, SessionBill } from './session-bill.ts'
import type { Sessions } from './sessions.ts'
import { DisposableStack } from '../kit/disposable-stack.ts'

/** What `withSession` takes: the options of the session and how the work on it is bounded. */
export interface WithSessionOptions<Handles = unknown> extends CreateSessionOptions, Abortable {
  /** Connects the session; the work gets what it connects to. */
  readonly driver?: Driver<Handles> | undefined
  /** Milliseconds from the call to the end of the work, after which it is aborted with TIMEOUT. Default: no limit. */
  readonly timeoutMs?: number | undefined
  /** Called exactly once when the session has ended, or with `bill.error` when the deletion could not be confirmed. */
  readonly onEnd?: ((bill: SessionBill) => void) | undefined
}

/** What the work is given, beside what the driver connects. */
export interface Work {
  readonly session: Session
  /** Aborts when the caller aborts, the time is over, or the process is told to end. */
  readonly signal: AbortSignal
}

/** What `withSession` resolves to. The figures are undefined when the service does not tell them. */
export interface SessionOutcome<Result> {
  readonly result: Result
  readonly sessionId: string
  readonly sessionDurationMs: number | undefined
  readonly creditsBilled: number | undefined
  /** The profile, with the version that was saved, or why none was. */
  readonly profile: ProfileOutcome | undefined
  /** Empty when the session has no live view. */
  readonly liveViewUrl: string
  /** What was recorded, with the addresses to read it at. Empty without the option `record`. */
  readonly recordings: readonly Recording[]
}

/** What `withSession` needs of its client. */
export interface WithSessionDeps {
  readonly sessions: Sessions
  /** Whether SIGINT, SIGTERM and SIGHUP abort the work. */
  readonly handleSignals: boolean
  /** Asked at the end: whether the work has failed though it did not throw, so that recordings for failures are kept. */
  readonly hasFailed?: (() => boolean) | undefined
}

/** Runs work on a session of its own, which is deleted however the work ends. */
export async function withSession<Result, Handles = unknown>(
  client: WithSessionDeps,
  options: WithSessionOptions<Handles>,
  work: (work: Work & Handles) => Result | Promise<Result>,
): Promise<SessionOutcome<Awaited<Result>>> {
  checkOptions('withSession()', options, names)
  const { driver, signal, timeoutMs, onEnd, ...create } = options
  signal?.throwIfAborted()
  using bounds = openBounds(signal, timeoutMs, client.handleSignals)
  const failed = (): true | undefined => client.hasFailed?.() === true || undefined
  const session = await client.sessions
    .create(create, { signal: bounds.signal, onEnd })
    .catch(async (error: unknown) => {
      await bounds.settle()
      throw error
    })
  let connected: AsyncDisposable | undefined
  const run = async (): Promise<Awaited<Result>> => {
    const scope: Work = { session, signal: bounds.signal }
    if (driver === undefined) return await work(scope as Work & Handles)
    const handles = await driver.connect(session, { signal: bounds.signal })
    connected = handles
    // A driver may have ignored the signal.
    if (bounds.signal.aborted) await disconnect(connected)
    bounds.signal.throwIfAborted()
    return await work({ ...handles, ...scope })
  }
  let result: Awaited<Result>
  try {
    bounds.signal.throwIfAborted()
    const running = run()
    // Work that aborts its own caller may reject while nobody waits for it any more.
    running.catch(() => undefined)
    result = await abortable(running, bounds.signal)
  } catch (error) {
    // Read before the deletion: an abort during it is no part of this error.
    const thrown: unknown = bounds.signal.aborted ? bounds.signal.reason : error
    const endedBy = bounds.endedBy() ?? 'throw'
    await disconnect(connected)
    if (!session.isDetached) await endAfterFailure(session, { endedBy, failed: failed() })
    await bounds.settle()
    throw thrown
  }
  await disconnect(connected)
  const bill = session.isDetached ? undefined : await endAfterSuccess(session, result, failed())
  return toOutcome(session, result, bill, await listRecordings(session, options))
}

const names: OptionNames<WithSessionOptions> = {
  ...sessionNames,
  signal: true,
  driver: true,
  timeoutMs: true,
  onEnd: true,
}

const disconnectLimitMs = 2000

/** Leaves politely, but a library that hangs does not hold the deletion up, which cuts the connection anyway. */
async function disconnect(connected: AsyncDisposable | undefined): Promise<void> {
  if (connected === undefined) return
  const leaving = Promise.resolve(connected[Symbol.asyncDispose]())
  await abortable(leaving, AbortSignal.timeout(disconnectLimitMs)).catch(() => undefined)
}

interface Bounds extends Disposable {
  readonly signal: AbortSignal
  /** What aborted the work, if anything did. */
  readonly endedBy: () => EndedBy | undefined
  /** Call when the session is gone. After a signal it waits for ever if the process is about to die of it. */
  readonly settle: () => Promise<void>
}

function openBounds(signal: AbortSignal | undefined, timeoutMs: number | undefined, handleSignals: boolean): Bounds {
  const controller = new AbortController()
  let endedBy: EndedBy | undefined
  using undo = new DisposableStack()
  const stop = (by: EndedBy, reason: unknown): void => {
    endedBy ??= by
    controller.abort(reason)
  }
  const onAbort = (): void => stop('abort', signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  undo.defer(() => signal?.removeEventListener('abort', onAbort))
  if (timeoutMs !== undefined) {
    const error = (): BowlineError => new BowlineError('TIMEOUT', `The work did not end within ${timeoutMs} ms`)
    const timer = setTimeout(() => stop('timeout', error()), Math.min(timeoutMs, longestTimerMs))
    undo.defer(() => clearTimeout(timer))
  }
  const hold = handleSignals
    ? undo.use(
        abortOnSignal((name) => stop('signal', new BowlineError('ABORTED', `The process was told to end (${name})`))),
      )
    : undefined
  const owned = undo.move()
  return {
    signal: controller.signal,
    endedBy: () => endedBy,
    settle: async () => hold?.settle(),
    [Symbol.dispose]: () => owned.dispose(),
  }
}

interface SignalHold extends Disposable {
  readonly settle: () => Promise<void>
}

/** Calls `abort` on a signal to the process, whose death then waits until the result is settled or disposed of. */
function abortOnSignal(abort: (name: NodeJS.Signals) => void): SignalHold {
  const ended = Promise.withResolvers<void>()
  let outlived: Promise<void> | undefined
  const hold = processGuard().hold({
    onSignal: async (name, livesOn) => {
      outlived = livesOn
      abort(name)
      await ended.promise
    },
    deletionRequest: () => undefined,
    onExit: () => undefined,
  })
  return {
    // A rejection that nobody catches would end the process by an error before it can die of its signal.
    settle: async () => {
      ended.resolve()
      await outlived
    },
    [Symbol.dispose]: () => {
      hold[Symbol.dispose]()
      ended.resolve()
    },
  }
}

async function endAfterSuccess(session: Session, result: unknown, failed: boolean | undefined): Promise<SessionBill> {
  try {
    return await session.end({ endedBy: 'return', failed })
  } catch (error) {
    if (!isBowlineError(error)) throw error
    // What was worked for is not lost with the bill.
    throw new BowlineError('DELETE_FAILED', error.message, {
      details: { result, sessionId: session.id },
      requestId: error.requestId,
      cause: error.cause,
    })
  }
}

async function endAfterFailure(session: Session, how: EndOptions): Promise<void> {
  try {
    await session.end(how)
  } catch (error) {
    // The error of the work must come through as it is, so this one goes where warnings go (and to `onEnd`).
    process.emitWarning(isBowlineError(error) ? error.toLine() : String(error), { code: 'BOWLINE_DELETE_FAILED' })
  }
}

/** A list that fails must not take the result of the work with it. */
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
    sessionDurationMs: bill?.sessionDurationMs,
    creditsBilled: bill?.creditsBilled,
    profile: bill?.profile,
    liveViewUrl: session.liveViewUrl,
    recordings,
  }
}
