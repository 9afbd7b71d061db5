import type { CreateSessionResponse } from '../contract/browser.ts'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import { isBowlineError } from '../kit/errors.ts'
import type { Call, CallOptions } from './call.ts'
import { deleteSessionIfThere } from './deletion.ts'
import { mismatchedResponse } from './parse-response.ts'

/** A request that creates a session. */
export interface SessionRequest {
  readonly body: Omit<CreateSessionOptions, 'wait'>
  /** Seconds to wait in the queue of the server. Default: not sent. */
  readonly waitSeconds: number | undefined
  readonly idempotencyKey: string
}

/**
 * Requests a session. Aborting ends a wait in the queue. A creation that does not wait is short and
 * continues, so that its session can be deleted.
 */
export async function requestSession(
  call: Call,
  request: SessionRequest,
  options: Pick<CallOptions, 'onQueued' | 'signal'>,
): Promise<CreateSessionResponse> {
  if ((request.waitSeconds ?? 0) === 0) return send(call, request)
  try {
    return await send(call, request, options)
  } catch (error) {
    // The session may have been created at the same moment, without the server noticing the abort.
    if (options.signal?.aborted === true) await deleteByKey(call, request)
    throw error
  }
}

const deletionLimitMs = 5000

/** Deletes the session that a failed request may have created. Waits for at most 5 s. */
async function deleteByKey(call: Call, { idempotencyKey }: SessionRequest): Promise<void> {
  const signal = AbortSignal.timeout(deletionLimitMs)
  // A service that does not support this ends the session when its TTL expires.
  await call('deleteSessionByBody', { body: { idempotencyKey } }, { signal }).catch(() => undefined)
}

async function send(
  call: Call,
  request: SessionRequest,
  options: Pick<CallOptions, 'onQueued' | 'signal'> = {},
): Promise<CreateSessionResponse> {
  const { body, waitSeconds, idempotencyKey } = request
  try {
    return await call('createSession', { body, query: {} }, { ...options, idempotencyKey, waitSeconds })
  } catch (error) {
    // A response that fails the schema may still have created a session.
    const id = idInInvalidResponse(error)
    // Report the error of the creation. The session ends when its TTL expires.
    if (id !== undefined) await deleteSessionIfThere(call, id).catch(() => undefined)
    else if (isUnclear(error)) await deleteByKey(call, request)
    throw error
  }
}

/**
 * Whether the session may exist although the request failed: without a valid response, or with an
 * internal error. The other errors of a server say why it has not created the session.
 */
function isUnclear(error: unknown): boolean {
  if (!isBowlineError(error)) return false
  const isInternal = error.status >= 500 && ['REQUEST_FAILED', 'UNKNOWN_ERROR'].includes(error.code)
  return isInternal || ['CONNECTION_FAILED', 'TIMEOUT', 'RESPONSE_INVALID'].includes(error.code)
}

function idInInvalidResponse(error: unknown): string | undefined {
  const response = mismatchedResponse(error) as { readonly id?: unknown } | null | undefined
  return typeof response?.id === 'string' && response.id !== '' ? response.id : undefined
}
