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
import type { DeletionRequest, ReaperResult } from './deletion-request.ts'
import { DisposableStack } from '../kit/disposable-stack.ts'

/** What every session of a client is opened with. */
export interface SessionDeps {
  readonly call: Call
  readonly config: ClientConfig
  /** Whether the server runs in this process: then it ends with it, and no other process can ask it for anything. */
  readonly isEmbedded: boolean
}

/** How a session is tied to this process. */
export interface SessionTies {
  /** Called once when the session has ended, or could not be deleted (`bill.error`). While the process exits it must not wait. */
  readonly onEnd?: ((bill: SessionBill) => void) | undefined
  /** Called once with the id of the session when it is detached. */
  readonly onDetached?: ((id: string) => void) | undefined
  /** Whether the session may outlive this process: no lease, no reaper, no signal handling. Default false. */
  readonly detached?: boolean | undefined
}

/** Creates a session at the service and ties it to this process, from before the request to after the deletion. */
export async function openSession(
  deps: SessionDeps,
  options: CreateSessionOptions,
  ties: SessionTies,
): Promise<Session> {
  const opening = Promise.withResolvers<Session>()
  opening.promise.catch(() => undefined)
  const report = onceQuietly(ties.onEnd)
  const idempotencyKey = randomUUID()
  const isTied = ties.detached !== true && !deps.isEmbedded
  let deletionRequest = isTied ? creationTicket(deps.config, idempotencyKey) : undefined
  let session: Session | undefined
  using undo = new DisposableStack()
  if (ties.detached !== true) {
    undo.use(
      processGuard().hold({
        onSignal: deps.config.handleSignals
          ? async () => (await opening.promise).end({ endedBy: 'signal' })
          : undefined,
        deletionRequest: () => deletionRequest,
        onExit: (result) => {
          if (session !== undefined) report(exitBill(session.id, result))
        },
      }),
    )
  }
  try {
    using _creation = handToReaper(deps.config, deletionRequest)
    const answer = await requestSession(deps.call, options, idempotencyKey)
    if (isTied) deletionRequest = protect(deps.config, answer, undo)
    const release = undo.move()
    session = createSession(
      answer,
      {
        recordings: createSessionRecordings(deps.call, answer.id, deps.config),
        // Services that record nothing need not understand it.
        remove: (hasFailed) =>
          deleteSessionIfThere(deps.call, answer.id, { hasFailed: hasFailed && isRecorded(options) }),
        onDetached: () => {
          release.dispose()
          ties.onDetached?.(answer.id)
        },
        onDeleted: (bill) => {
          release.dispose()
          report(bill)
        },
        onFailed: report,
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
    // An answer we cannot use may still have opened a session.
    const id = idInUnusableAnswer(error)
    if (id !== undefined) await deleteSessionIfThere(call, id).catch(() => undefined)
    throw error
  }
}

function idInUnusableAnswer(error: unknown): string | undefined {
  if (!isBowlineError(error) || error.code !== 'RESPONSE_INVALID') return undefined
  const { answer } = (error.details ?? {}) as { answer?: { id?: unknown } | null }
  return typeof answer?.id === 'string' && answer.id !== '' ? answer.id : undefined
}

function protect(config: ClientConfig, answer: CreateSessionResponse, undo: DisposableStack): DeletionRequest {
  const leasePath = tryWriteLease(config, answer.id)
  if (leasePath !== undefined) undo.defer(() => removeLease(leasePath))
  const deletionRequest: DeletionRequest = {
    id: answer.id,
    url: `${config.baseUrl}/v2/browser/${encodeURIComponent(answer.id)}`,
    headers: headersOf(config),
    leasePath,
  }
  undo.use(handToReaper(config, deletionRequest))
  return deletionRequest
}

/** Deletes a session whose id is not known yet: whoever dies between the request and its answer never learns it. */
function creationTicket(config: ClientConfig, idempotencyKey: string): DeletionRequest {
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

/** Has the reaper delete a session if this process dies before the result is disposed of. */
function handToReaper(config: ClientConfig, deletionRequest: DeletionRequest | undefined): Disposable {
  if (deletionRequest === undefined || !config.reaper) return { [Symbol.dispose]: () => undefined }
  const { reaper } = processGuard()
  reaper.add(deletionRequest)
  return { [Symbol.dispose]: () => reaper.remove(deletionRequest.id) }
}

function tryWriteLease(config: ClientConfig, sessionId: string): string | undefined {
  try {
    return writeLease(config.leaseDir, { baseUrl: config.baseUrl, sessionId })
  } catch (error) {
    // A home that cannot be written to costs one of three protections, not the session.
    process.emitWarning(`No lease file could be written: ${String(error)}`, { code: 'BOWLINE_LEASE' })
    return undefined
  }
}

function exitBill(sessionId: string, result: ReaperResult | undefined): SessionBill {
  const { sessionDurationMs, creditsBilled } = result ?? {}
  const error =
    result?.error === undefined && result !== undefined
      ? undefined
      : new BowlineError(
          'DELETE_FAILED',
          `Session ${sessionId} was not confirmed as deleted before the process ended: ${result?.error ?? 'no answer'}`,
        )
  return { sessionId, endedBy: 'exit', sessionDurationMs, creditsBilled, error }
}

function onceQuietly(onEnd: SessionTies['onEnd']): (bill: SessionBill) => void {
  let isTold = false
  return (bill) => {
    if (isTold) return
    isTold = true
    try {
      onEnd?.(bill)
    } catch (error) {
      // It must not stop the deletion of other sessions, nor replace the error of the work.
      process.emitWarning(`onEnd threw: ${String(error)}`, { code: 'BOWLINE_ON_END' })
    }
  }
}
