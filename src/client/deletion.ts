import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { profileOutcome, type ProfileOutcome } from '../contract/browser.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'

/** Fields of a bill that the server reports. */
export interface BillFields {
  readonly name?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly sessionDurationMs?: number | undefined
  readonly creditsBilled?: number | undefined
  readonly profile?: ProfileOutcome | undefined
}

/** Options of a deletion. */
export interface DeletionOptions {
  /** Keep recordings that are kept only for failures. Default: false. */
  readonly hasFailed?: boolean | undefined
  /**
   * Time limit for a service that stops sessions in the background, in milliseconds.
   * Default: 30000.
   */
  readonly settleMs?: number | undefined
}

const deletionRetries = 6

/**
 * Deletes a session and returns its bill.
 *
 * Falls back to `DELETE /v2/browser` with the id in the body for services that lack the route with
 * the id. Polls a service that stops sessions in the background until the session has stopped and
 * the bill is known. Rejects if the session is not found, if seven attempts failed, or if the
 * session is still alive after `settleMs`.
 */
export async function deleteSession(call: Call, id: string, options: DeletionOptions = {}): Promise<BillFields> {
  const { hasFailed = false, settleMs = 30_000 } = options
  const response = await requestDeletion(call, id, hasFailed)
  if (isBilled(response) && !isAlive(response)) return billFieldsOf(response)
  const { state, wasAlive } = await waitUntilStopped(call, id, { response, hasFailed, settleMs })
  if (isBilled(state) || !wasAlive) return billFieldsOf(state)
  // A service that stops sessions in the background reports the bill in the response to a second
  // deletion.
  return billFieldsOf({ ...state, ...(await requestDeletion(call, id, hasFailed).catch(() => ({}))) })
}

/**
 * Deletes a session that may have ended already. "Not found" counts as deleted, with the bill if
 * the session can be read, unless the service reports it as alive.
 */
export async function deleteSessionIfThere(call: Call, id: string, options: DeletionOptions = {}): Promise<BillFields> {
  return deleteSession(call, id, options).catch(async (error: unknown) => {
    if (!isGone(error)) throw error
    // An earlier attempt may have deleted it without a response.
    const state = (await readSession(call, id)) ?? {}
    if (isAlive(state)) throw error
    return billFieldsOf(state)
  })
}

/** State of a session that is being deleted. */
interface SessionState extends BillFields {
  readonly status?: string | undefined
  /** Error of a service that cannot delete the session right now. */
  readonly conflict?: BowlineError | undefined
}

const stateSchema = z.looseObject({
  status: z.string().optional(),
  sessionDurationMs: z.number().optional(),
  creditsBilled: z.number().optional(),
  profile: profileOutcome.optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  metadata: z.record(z.string(), z.string()).optional().catch(undefined),
})

/**
 * Polls a session until it has stopped. Returns its last state, and whether the service ever
 * reported it as alive. Rejects with DELETE_FAILED after `settleMs`.
 */
async function waitUntilStopped(
  call: Call,
  id: string,
  options: { readonly response: SessionState; readonly hasFailed: boolean; readonly settleMs: number },
): Promise<{ readonly state: SessionState; readonly wasAlive: boolean }> {
  const { hasFailed, settleMs } = options
  const endMs = Date.now() + settleMs
  let { response } = options
  let wasAlive = false
  for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, 4000)) {
    const current = await readSession(call, id)
    // If the session cannot be read, the response to the deletion decides.
    const state = { ...response, ...current }
    wasAlive ||= isAlive(response) || isAlive(state)
    if (!isAlive(state)) return { state, wasAlive }
    // Nothing more will be known about it.
    if (current === undefined && isAccepted(response) && pauseMs >= acceptedLimitMs) return { state, wasAlive: false }
    if (Date.now() + pauseMs > endMs) throw response.conflict ?? stillAlive(id, state)
    await sleep(pauseMs)
    if (current !== undefined && response.conflict === undefined) continue
    response = await deleteAgain(call, id, hasFailed, response)
    if (isBilled(response) && !isAlive(response)) return { state: response, wasAlive }
  }
}

async function requestDeletion(call: Call, id: string, hasFailed: boolean): Promise<SessionState> {
  const query = hasFailed ? { failed: 'true' as const } : {}
  try {
    const response = await call('deleteSession', { params: { id }, query }, { retries: deletionRetries })
    return parseState(response) ?? {}
  } catch (error) {
    const state = stateInError(error)
    if (state !== undefined) return state
    if (!isBowlineError(error)) throw error
    if (error.status === 409) return conflictState(error)
    if (notFoundStatuses.has(error.status)) return deleteByBody(call, id, { hasFailed, error })
    throw error
  }
}

function conflictState(conflict: BowlineError): SessionState {
  return { status: 'stopping', conflict }
}

/** Statuses of services that lack the session or the route, or expect the id in the body. */
const notFoundStatuses: ReadonlySet<number> = new Set([400, 404, 405, 501])

async function deleteByBody(
  call: Call,
  id: string,
  { hasFailed, error: first }: { readonly hasFailed: boolean; readonly error: BowlineError },
): Promise<SessionState> {
  const body = { id, ...(hasFailed && { failed: true }) }
  try {
    return parseState(await call('deleteSessionByBody', { body }, { retries: deletionRetries })) ?? {}
  } catch (error) {
    const state = stateInError(error)
    if (state !== undefined) return state
    if (isBowlineError(error) && error.status === 409) return conflictState(error)
    const isKnown = isBowlineError(error) && !notFoundStatuses.has(error.status)
    throw isKnown || (isGone(error) && !isGone(first)) ? error : first
  }
}

/** A session that is gone after the service has reported it as stopping counts as deleted. */
async function deleteAgain(call: Call, id: string, hasFailed: boolean, before: SessionState): Promise<SessionState> {
  return requestDeletion(call, id, hasFailed).catch((error: unknown) => {
    if (isGone(error)) return billFieldsOf(before)
    throw error
  })
}

/** Returns `undefined` if the service does not report the session. */
async function readSession(call: Call, id: string): Promise<SessionState | undefined> {
  try {
    return parseState(await call('getSession', { params: { id } }, { retries: 0 }))
  } catch (error) {
    return stateInError(error)
  }
}

/**
 * Reads bill fields from a response that fails our schema, since some services have other states.
 */
function stateInError(error: unknown): SessionState | undefined {
  if (!isBowlineError(error) || error.code !== 'RESPONSE_INVALID' || error.status >= 300) return undefined
  const { answer } = (error.details ?? {}) as { readonly answer?: unknown }
  return parseState(answer)
}

function parseState(response: unknown): SessionState | undefined {
  const parsed = stateSchema.safeParse(response)
  if (!parsed.success) return undefined
  const { status, ...billFields } = parsed.data
  return { ...(status !== undefined && { status }), ...billFieldsOf(billFields) }
}

const aliveStates: ReadonlySet<string | undefined> = new Set([
  'active',
  'starting',
  'running',
  'suspending',
  'suspended',
  'resuming',
  'stopping',
  'accepted',
])

function isAlive({ status }: SessionState): boolean {
  return aliveStates.has(status)
}

/**
 * Pause between requests, in milliseconds, at which a session counts as deleted if the service has
 * only ever accepted its deletion and does not report its state.
 */
const acceptedLimitMs = 2000

/** Whether the service has responded 202 without a state. */
function isAccepted({ status }: SessionState): boolean {
  return status === 'accepted'
}

function isBilled({ sessionDurationMs, creditsBilled }: BillFields): boolean {
  return sessionDurationMs !== undefined && creditsBilled !== undefined
}

/** Excludes a 404 without JSON: it comes from a proxy or a wrong base URL, and proves nothing. */
function isGone(error: unknown): boolean {
  return isBowlineError(error) && error.code !== 'RESPONSE_INVALID' && [404, 410].includes(error.status)
}

function stillAlive(id: string, { status }: SessionState): BowlineError {
  return new BowlineError('DELETE_FAILED', `Session ${id} is still ${status} after the service accepted its deletion`)
}

function billFieldsOf({ name, metadata, sessionDurationMs, creditsBilled, profile }: BillFields): BillFields {
  return {
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(sessionDurationMs === undefined ? {} : { sessionDurationMs }),
    ...(creditsBilled === undefined ? {} : { creditsBilled }),
    ...(profile === undefined ? {} : { profile }),
  }
}
