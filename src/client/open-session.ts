import { randomUUID } from 'node:crypto'
import type { CreateSessionOptions, CreateSessionResponse } from '../contract/browser.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'
import type { ClientConfig } from './config.ts'
import { deleteSessionIfThere } from './deletion.ts'
import { removeLease, writeLease } from './leases.ts'
import { processGuard } from './process-guard.ts'
import { createSession, type Session } from './session.ts'
import { createSessionRecordings } from './session-recordings.ts'
import type { SessionBill } from './session-bill.ts'
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

/** Callbacks for the end of a session, and whether it may outlive this process. */
export interface SessionLifetimeOptions {
  /**
   * Called once when the session has ended, or with `bill.error` if it could not be deleted. Must
   * be synchronous: it may run while the process exits.
   */
  readonly onEnd?: ((bill: SessionBill) => void) | undefined
  /** Called once with the session id when the session is detached. */
  readonly onDetached?: ((id: string) => void) | undefined
  /**
   * Let the session outlive this process: no lease, no reaper, no signal handling. Default false.
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
 * Creates a session, and guards it from before the request until after its deletion, so that it is
 * deleted however this process ends.
 */
export async function openSession(
  deps: SessionDeps,
  options: CreateSessionOptions,
  lifetime: SessionLifetimeOptions,
): Promise<Session> {
  const opening = Promise.withResolvers<Session>()
  opening.promise.catch(() => undefined)
  const report = callOnce(lifetime.onEnd)
  const idempotencyKey = randomUUID()
  const isBound = endsWithProcess(deps, lifetime)
  let deletionRequest = isBound ? pendingDeletionRequest(deps.config, idempotencyKey) : undefined
  let session: Session | undefined
  using undo = new DisposableStack()
  if (lifetime.detached !== true) {
    undo.use(
      processGuard().guard({
        onSignal: deps.config.handleSignals
          ? async () => (await opening.promise).end({ endedBy: 'signal' })
          : undefined,
        deletionRequest: () => deletionRequest,
        onExit: (result) => {
          if (session !== undefined) report(billAtExit(session.id, result))
        },
      }),
    )
  }
  try {
    using _creation = registerWithReaper(deps.config, deletionRequest)
    const response = await requestSession(deps.call, options, idempotencyKey)
    if (isBound) deletionRequest = registerForDeletion(deps.config, response, undo)
    const release = undo.move()
    session = createSession(
      response,
      {
        recordings: createSessionRecordings(deps.call, response.id, deps.config),
        // Services without recordings may not know the parameter.
        deleteOnServer: (workFailed) =>
          deleteSessionIfThere(deps.call, response.id, { hasFailed: workFailed && isRecorded(options) }),
        onDetached: () => {
          release.dispose()
          lifetime.onDetached?.(response.id)
        },
        onDeleted: (bill) => {
          release.dispose()
          report(bill)
        },
        onDeletionFailed: report,
      },
      deps.config,
    )
    opening.resolve(session)
    return session
  } catch (error) {
    opening.reject(error)
    throw error
  }
}

/** Whether a session must be deleted when this process ends. An embedded server deletes its own. */
export function endsWithProcess({ isEmbedded }: SessionDeps, { detached }: SessionLifetimeOptions): boolean {
  return detached !== true && !isEmbedded
}

function isRecorded({ record = false }: CreateSessionOptions): boolean {
  return record !== false
}

async function requestSession(
  call: Call,
  body: CreateSessionOptions,
  idempotencyKey: string,
): Promise<CreateSessionResponse> {
  try {
    return await call('createSession', { body }, { idempotencyKey })
  } catch (error) {
    // A response that fails the schema may still have created a session.
    const id = idInInvalidResponse(error)
    if (id !== undefined) await deleteSessionIfThere(call, id).catch(() => undefined)
    throw error
  }
}

function idInInvalidResponse(error: unknown): string | undefined {
  if (!isBowlineError(error) || error.code !== 'RESPONSE_INVALID') return undefined
  const { answer } = (error.details ?? {}) as { answer?: { id?: unknown } | null }
  return typeof answer?.id === 'string' && answer.id !== '' ? answer.id : undefined
}

/**
 * Writes the lease file of a session and registers it with the reaper, both until `undo` is
 * disposed of. Returns the request that deletes it.
 */
function registerForDeletion(
  config: ClientConfig,
  { id }: CreateSessionResponse,
  undo: DisposableStack,
): DeletionRequest {
  const leasePath = tryWriteLease(config, id)
  if (leasePath !== undefined) undo.defer(() => removeLease(leasePath))
  const deletionRequest: DeletionRequest = {
    id,
    url: `${config.baseUrl}/v2/browser/${encodeURIComponent(id)}`,
    headers: headersOf(config),
    leasePath,
  }
  undo.use(registerWithReaper(config, deletionRequest))
  return deletionRequest
}

/** Deletion by idempotency key, in case this process dies before it receives the session id. */
function pendingDeletionRequest(config: ClientConfig, idempotencyKey: string): DeletionRequest {
  return {
    id: idempotencyKey,
    url: `${config.baseUrl}/v2/browser`,
    headers: headersOf(config),
    body: { idempotencyKey },
    leasePath: undefined,
  }
}

function headersOf(config: ClientConfig): Readonly<Record<string, string>> {
  return {
    ...config.headers,
    authorization: `Bearer ${config.apiKey}`,
  }
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

function tryWriteLease(config: ClientConfig, sessionId: string): string | undefined {
  try {
    return writeLease(config.leaseDir, { baseUrl: config.baseUrl, sessionId })
  } catch (error) {
    // Without the file, only `sessions.reap()` cannot find this session. The process guard and the
    // reaper still delete it.
    process.emitWarning(`Could not write the lease file: ${String(error)}`, { code: 'BOWLINE_LEASE' })
    return undefined
  }
}

function billAtExit(sessionId: string, result: ReaperResult | undefined): SessionBill {
  const { sessionDurationMs, creditsBilled } = result ?? {}
  const error =
    result?.error === undefined && result !== undefined
      ? undefined
      : new BowlineError(
          'DELETE_FAILED',
          `Deletion of session ${sessionId} was not confirmed before the process exited: ${result?.error ?? 'no response'}`,
        )
  return { sessionId, endedBy: 'exit', sessionDurationMs, creditsBilled, error }
}

function callOnce(onEnd: SessionLifetimeOptions['onEnd']): (bill: SessionBill) => void {
  let isReported = false
  return (bill) => {
    if (isReported) return
    isReported = true
    try {
      onEnd?.(bill)
    } catch (error) {
      // A throwing callback must neither stop the deletion of other sessions nor replace the error
      // of the work.
      process.emitWarning(`onEnd threw: ${String(error)}`, { code: 'BOWLINE_ON_END' })
    }
  }
}
