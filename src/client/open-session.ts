import { randomUUID } from 'node:crypto'
import type { CreateSessionResponse } from '../contract/browser.ts'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import { abortable, type Abortable, mergeSignals } from '../kit/abort.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'
import type { ClientConfig } from './config.ts'
import { deleteSessionIfThere, warnDeletionFailed } from './deletion.ts'
import { deletionById, deletionByIdempotencyKey } from './reaper.ts'
import { removeSessionMarker, tryWriteSessionMarker } from './session-markers.ts'
import type { QueueProgress } from '../contract/queue-progress.ts'
import { requestSession } from './request-session.ts'
import { processGuard } from './process-guard.ts'
import { billedLabels, createSession, type EndedBy, type Session, type SessionBill } from './session.ts'
import { execute } from './execute.ts'
import { handOff } from './handoff.ts'
import { scrapeSession } from './scraping.ts'
import { createSessionRecordings } from './session-recordings.ts'
import type { DeletionRequest, ReaperResult } from './reaper-protocol.ts'
import { DisposableStack } from '../kit/disposable-stack.ts'

/** Dependencies of every session of a client. */
export interface SessionDeps {
  readonly call: Call
  readonly config: ClientConfig
  /**
   * Whether the server runs in this process. Its sessions then end with it, and no other process
   * can reach it.
   */
  readonly isEmbedded: boolean
}

/**
 * Callbacks for the end of a session, and whether it may outlive this process.
 *
 * @example
 * ```ts
 * import { Bowline, type SessionLifetimeOptions } from 'bowline'
 *
 * const lifetime: SessionLifetimeOptions = {
 *   onEnd: ({ sessionId, creditsBilled, error }) =>
 *     console.log(sessionId, error ?? `${creditsBilled} credits`),
 * }
 * await using session = await new Bowline().sessions.create({ ttl: 60 }, lifetime)
 * console.log(session.cdpUrl)
 * ```
 */
export interface SessionLifetimeOptions {
  /**
   * Called once when the session has ended, or with `bill.error` if it could not be deleted. Must
   * be synchronous: it may run while the process exits.
   */
  readonly onEnd?: ((bill: SessionBill) => void) | undefined
  /** Called once with the session id when the session is detached. */
  readonly onDetached?: ((id: string) => void) | undefined
  /**
   * Let the session outlive this process: without a session marker, the reaper and signal handling.
   * Default: false.
   */
  readonly detached?: boolean | undefined
}

/**
 * Former name of `SessionLifetimeOptions`.
 *
 * @deprecated Use `SessionLifetimeOptions`.
 */
export type SessionTies = SessionLifetimeOptions

/**
 * Client-side options of `sessions.create()`. Aborting rejects at once; a session that is created
 * afterwards is deleted.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * await using session = await bowline.sessions.create(
 *   { ttl: 60 },
 *   { onEnd: ({ endedBy, creditsBilled }) => console.log(endedBy, creditsBilled) },
 * )
 * console.log(session.cdpUrl)
 * ```
 */
export interface CreateOptions extends Abortable, SessionLifetimeOptions {
  /**
   * Called while the request waits in the queue of the server (session option `wait`): at the start
   * and whenever its position changes.
   */
  readonly onQueued?: ((progress: QueueProgress) => void) | undefined
}

/** Opens the sessions of a client, and tracks those that are not deleted yet. */
export class SessionOpener {
  readonly #deps: SessionDeps
  readonly #open = new Map<string, Session>()
  readonly #disposed = new AbortController()

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  /** Returns an open session of this client, unless it is detached. */
  find(id: string): Session | undefined {
    return this.#open.get(id)
  }

  /**
   * Creates a session that is deleted however this process ends, unless it is `detached`. Aborting
   * rejects at once; a session that is created afterwards is deleted.
   */
  async open(body: CreateSessionOptions, options: CreateOptions): Promise<Session> {
    const lifetime = this.#resolveLifetime(options)
    // Disposal does not abort sessions that do not end with the process: an embedded server ends
    // its own, and detached ones stay.
    const signal = mergeSignals(options.signal, lifetime.endsWithProcess ? this.#disposed.signal : undefined)
    signal?.throwIfAborted()
    const opening = this.#create(body, lifetime, { onQueued: options.onQueued, signal })
    try {
      return await abortable(opening, signal)
    } catch (error) {
      if (signal?.aborted === true) void endWhenOpen(opening, isTimeout(signal.reason) ? 'timeout' : 'abort')
      throw error
    }
  }

  /**
   * Ends all open sessions, and aborts creations that are in progress. Resolves when the deletions
   * have ended.
   */
  async endAll(): Promise<readonly PromiseSettledResult<SessionBill>[]> {
    this.#disposed.abort(new BowlineError('ABORTED', 'The client was disposed'))
    return Promise.allSettled([...this.#open.values()].map((session) => session.end()))
  }

  #resolveLifetime({ onEnd, onDetached, detached = false }: SessionLifetimeOptions): Lifetime {
    return {
      isDetached: detached,
      endsWithProcess: !detached && !this.#deps.isEmbedded,
      onEnd: callOnce((bill) => {
        this.#open.delete(bill.sessionId)
        onEnd?.(bill)
      }),
      onDetached: (id) => {
        this.#open.delete(id)
        onDetached?.(id)
      },
    }
  }

  /** Creates a session, and guards it from before the request until after its deletion. */
  async #create(
    { wait, ...body }: CreateSessionOptions,
    lifetime: Lifetime,
    options: Pick<CreateOptions, 'onQueued' | 'signal'>,
  ): Promise<Session> {
    const { call, config } = this.#deps
    const { isDetached, onEnd } = lifetime
    const opening = Promise.withResolvers<Session>()
    // The caller receives the error. Without a listener here, it would also end the process.
    opening.promise.catch(() => undefined)
    const idempotencyKey = randomUUID()
    const waiting = new AbortController()
    let processSurvived: Promise<void> | undefined
    let deletionRequest = lifetime.endsWithProcess ? deletionByIdempotencyKey(config, idempotencyKey) : undefined
    let session: Session | undefined
    const reportExit = (endedBy: EndedBy, result?: ReaperResult): void => {
      if (session !== undefined) onEnd(billAtExit(session, endedBy, result))
    }
    using undo = new DisposableStack()
    if (!isDetached) {
      undo.use(
        processGuard().endWithProcess({
          onSignal: config.handleSignals
            ? async (name, survived) => {
                processSurvived = survived
                waiting.abort(new BowlineError('ABORTED', `The process received ${name}`))
                await (await opening.promise).end({ endedBy: 'signal' })
              }
            : undefined,
          deletionRequest: () => deletionRequest,
          onExit: (result) => reportExit('exit', result),
          beforeSignalExit: () => reportExit('signal'),
        }),
      )
    }
    try {
      using _creation = registerWithReaper(config, deletionRequest)
      const signal = mergeSignals(waiting.signal, options.signal)
      const request = { body, waitSeconds: wait, idempotencyKey }
      const response = await requestSession(call, request, { onQueued: options.onQueued, signal })
      if (lifetime.endsWithProcess)
        deletionRequest = registerForDeletion(config, { id: response.id, failed: dependsOnFailure(body) }, undo)
      session = this.#toSession(response, body, lifetime, undo.move())
      if (!isDetached) this.#open.set(session.id, session)
      opening.resolve(session)
      return session
    } catch (error) {
      opening.reject(error)
      // An uncaught rejection would end the process with an error before the signal does.
      await processSurvived
      throw error
    }
  }

  /** Creates the `Session`. Disposes of `registration` when it ends or is detached. */
  #toSession(
    response: CreateSessionResponse,
    body: CreateSessionOptions,
    { onEnd, onDetached }: Lifetime,
    registration: Disposable,
  ): Session {
    const { call, config } = this.#deps
    return createSession(
      response,
      {
        scrape: async (options, requestOptions) => scrapeSession(call, response.id, options, requestOptions),
        handoff: async (options) => handOff(call, response.id, options),
        execute: async (code, options) => execute(call, response.id, code, options),
        createRecordings: () => createSessionRecordings(call, response.id, config),
        updateOnServer: async (changes, requestOptions) =>
          call('updateSession', { params: { id: response.id }, body: changes }, requestOptions),
        // Other services may not support the parameter.
        deleteOnServer: (hasFailed) =>
          deleteSessionIfThere(call, response.id, { hasFailed: hasFailed && dependsOnFailure(body) }),
        onDetached: () => {
          registration[Symbol.dispose]()
          onDetached(response.id)
        },
        onDeleted: (bill) => {
          registration[Symbol.dispose]()
          onEnd(bill)
        },
        onDeletionFailed: onEnd,
      },
      config,
    )
  }
}

/** Lifetime options with defaults filled in. */
interface Lifetime {
  readonly isDetached: boolean
  /**
   * Whether the session must be deleted when this process ends. An embedded server deletes its own.
   */
  readonly endsWithProcess: boolean
  /** Never throws, and calls the callback of the caller only once. */
  readonly onEnd: (bill: SessionBill) => void
  readonly onDetached: (id: string) => void
}

function isTimeout(reason: unknown): boolean {
  return isBowlineError(reason) && reason.code === 'TIMEOUT'
}

async function endWhenOpen(opening: Promise<Session>, endedBy: EndedBy): Promise<void> {
  // A session that was not created does not need to be ended.
  const session = await opening.catch(() => undefined)
  await session?.end({ endedBy }).catch(warnDeletionFailed)
}

/** Whether the server keeps different data if the work of the session failed. */
function dependsOnFailure({ record = false, profile }: CreateSessionOptions): boolean {
  return record !== false || profile?.saveChanges === 'on-success'
}

/**
 * Writes the marker of a session and registers the session with the reaper, both until `undo` is
 * disposed of. Returns the request that deletes it.
 */
function registerForDeletion(
  config: ClientConfig,
  { id, failed }: { readonly id: string; readonly failed: boolean },
  undo: DisposableStack,
): DeletionRequest {
  const marker = { baseUrl: config.baseUrl, sessionId: id, ...(failed && { failed }) }
  const markerPath = tryWriteSessionMarker(config.sessionDir, marker)
  if (markerPath !== undefined) undo.defer(() => removeSessionMarker(markerPath))
  const deletionRequest = deletionById(config, { id, failed }, markerPath)
  undo.use(registerWithReaper(config, deletionRequest))
  return deletionRequest
}

/**
 * Registers a session with the reaper, which deletes it if this process dies before the result is
 * disposed of.
 */
function registerWithReaper(config: ClientConfig, deletionRequest: DeletionRequest | undefined): Disposable {
  if (deletionRequest === undefined || !config.reaper) return { [Symbol.dispose]: () => undefined }
  const { reaper } = processGuard()
  reaper.add(deletionRequest)
  return { [Symbol.dispose]: () => reaper.remove(deletionRequest.id) }
}

function billAtExit(session: Session, endedBy: EndedBy, result: ReaperResult | undefined): SessionBill {
  const { sessionDurationMs, creditsBilled } = result ?? {}
  const error =
    result?.error === undefined && result !== undefined
      ? undefined
      : new BowlineError(
          'DELETE_FAILED',
          `Deletion of session ${session.id} was not confirmed before the process exited: ${result?.error ?? 'no response'}`,
        )
  return { ...billedLabels(session), endedBy, sessionDurationMs, creditsBilled, error }
}

function callOnce(onEnd: (bill: SessionBill) => void): (bill: SessionBill) => void {
  let isReported = false
  return (bill) => {
    if (isReported) return
    isReported = true
    try {
      onEnd(bill)
    } catch (error) {
      // A throwing callback must neither stop the deletion of other sessions nor replace the error
      // of the work.
      process.emitWarning(`onEnd threw: ${String(error)}`, { code: 'BOWLINE_ON_END' })
    }
  }
}
