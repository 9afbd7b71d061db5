import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { endReason, profileOutcome, type EndReason, type ProfileOutcome } from '../contract/browser.ts'
import { isFailureBody } from '../contract/failure-body.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'
import { mismatchedResponse } from './parse-response.ts'
import { isAliveStatus, isGoneStatus, mayNeedIdInBody, parseFigure } from './session-state.ts'

/** Fields of a bill that the server reports. */
export interface BillFields {
  readonly name?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly sessionDurationMs?: number | undefined
  readonly creditsBilled?: number | undefined
  readonly endReason?: EndReason | undefined
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

/** Emits a warning that a session could not be deleted, where no caller can receive the error. */
export function warnDeletionFailed(error: unknown): void {
  process.emitWarning(isBowlineError(error) ? error.toLine() : String(error), { code: 'BOWLINE_DELETE_FAILED' })
}

/**
 * Deletes a session and returns its bill.
 *
 * Falls back to `DELETE /v2/browser` with the id in the body for services that lack the route with
 * the id. Polls a service that stops sessions in the background until the session has stopped and
 * the bill is known. Rejects if the session is not found, if seven attempts failed, or if the
 * session is still alive after `settleMs`, unless the service reports the session as ended.
 */
export async function deleteSession(call: Call, id: string, options: DeletionOptions = {}): Promise<BillFields> {
  try {
    return await deleteAndWait(call, id, options)
  } catch (error) {
    if (isGone(error)) throw error
    // The service may have deleted the session, and then sent an invalid response or none.
    const state = await readWithRetries(call, id)
    if (state.status === undefined || isAlive(state)) throw error
    return billFieldsOf(state)
  }
}

async function deleteAndWait(call: Call, id: string, options: DeletionOptions): Promise<BillFields> {
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
    const state = await readWithRetries(call, id)
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
  status: z.string().optional().catch(undefined),
  sessionDurationMs: z.unknown().transform(parseFigure).optional(),
  creditsBilled: z.unknown().transform(parseFigure).optional(),
  endReason: endReason.optional().catch(undefined),
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
  let known: SessionState | undefined
  let unknownReadings = 0
  let wasAlive = false
  for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, 4000)) {
    const { state: current, isUnknown } = await readSession(call, id, endMs - Date.now())
    if (!isUnknown) known = current
    unknownReadings = isUnknown ? unknownReadings + 1 : 0
    // If the session cannot be read, its last state or the response to the deletion decides.
    const state = { ...response, ...known }
    wasAlive ||= isAlive(response) || isAlive(state)
    const mayReadAgain = isUnknown && unknownReadings < maxUnknownReadings && Date.now() + pauseMs <= endMs
    if (!isAlive(state) && !mayReadAgain) return { state, wasAlive }
    const isUnreported = current === undefined && !isUnknown && isAccepted(response)
    // Nothing more will be known about it.
    if (isUnreported && pauseMs >= unreportedLimitMs) return { state, wasAlive: false }
    if (Date.now() + pauseMs > endMs) throw response.conflict ?? stillAlive(id, state)
    await sleep(pauseMs)
    if (!isAlive(state) || (current !== undefined && response.conflict === undefined)) continue
    response = await deleteAgain(call, id, hasFailed, response)
    known = undefined
    if (isBilled(response) && !isAlive(response)) return { state: response, wasAlive }
  }
}

async function requestDeletion(call: Call, id: string, hasFailed: boolean): Promise<SessionState> {
  const query = hasFailed ? { failed: 'true' as const } : {}
  try {
    const response = await call('deleteSession', { params: { id }, query }, { retries: deletionRetries })
    return parseState(response) ?? {}
  } catch (error) {
    const state = stateInDeletionError(error)
    if (state !== undefined) return state
    if (!isBowlineError(error)) throw error
    if (mayNeedIdInBody(error.status)) return deleteByBody(call, id, { hasFailed, error })
    throw error
  }
}

/**
 * Returns the state in a response that fails our schema, or that of a session that cannot be
 * deleted right now.
 */
function stateInDeletionError(error: unknown): SessionState | undefined {
  if (isBowlineError(error) && conflictStatuses.has(error.status)) return { status: 'stopping', conflict: error }
  const state = stateInError(error)
  return state !== undefined && (isAlive(state) || !isFailureBody(mismatchedResponse(error))) ? state : undefined
}

/** Conflict, Locked and Too Early: the session cannot be deleted yet. */
const conflictStatuses: ReadonlySet<number> = new Set([409, 423, 425])

async function deleteByBody(
  call: Call,
  id: string,
  { hasFailed, error: first }: { readonly hasFailed: boolean; readonly error: BowlineError },
): Promise<SessionState> {
  const body = { id, ...(hasFailed && { failed: true }) }
  try {
    return parseState(await call('deleteSessionByBody', { body }, { retries: deletionRetries })) ?? {}
  } catch (error) {
    const state = stateInDeletionError(error)
    if (state !== undefined) return state
    const isKnown = isBowlineError(error) && !mayNeedIdInBody(error.status)
    // A 404 without JSON may come from a proxy, and does not prove that the session is gone.
    throw isKnown || (isGone(error) && first.status !== 404) ? error : first
  }
}

/** A session that is gone after the service has reported it as stopping counts as deleted. */
async function deleteAgain(call: Call, id: string, hasFailed: boolean, before: SessionState): Promise<SessionState> {
  return requestDeletion(call, id, hasFailed).catch((error: unknown) => {
    if (isGone(error)) return billFieldsOf(before)
    throw error
  })
}

/** Result of reading a session. */
interface Reading {
  /** `undefined` if the service does not report the session, or if reading it failed. */
  readonly state?: SessionState | undefined
  /** Whether reading it failed, and may succeed later. */
  readonly isUnknown: boolean
}

const readLimitMs = 5000

async function readSession(call: Call, id: string, leftMs = readLimitMs): Promise<Reading> {
  const signal = AbortSignal.timeout(Math.max(1, Math.min(leftMs, readLimitMs)))
  try {
    const state = parseState(await call('getSession', { params: { id } }, { retries: 0, signal }))
    return { state, isUnknown: false }
  } catch (error) {
    const state = stateInError(error)
    return { state, isUnknown: state === undefined && isTransient(error) }
  }
}

/**
 * Reads a session again while that fails, for 5 s at most. Returns an empty state if the service
 * does not report it.
 */
async function readWithRetries(call: Call, id: string): Promise<SessionState> {
  const endMs = Date.now() + readLimitMs
  for (let readings = 1; ; readings += 1) {
    const { state = {}, isUnknown } = await readSession(call, id, endMs - Date.now())
    const pauseMs = 250 * 2 ** (readings - 1)
    if (!isUnknown || readings === maxUnknownReadings || Date.now() + pauseMs > endMs) return state
    await sleep(pauseMs)
  }
}

/** Whether an error of a reading is one of the connection or of an overloaded service. */
function isTransient(error: unknown): boolean {
  if (!isBowlineError(error)) return true
  return error.status === 0 || [408, 429].includes(error.status) || (error.status >= 500 && error.status !== 501)
}

/**
 * Reads bill fields from a response that fails our schema, since some services have other states.
 */
function stateInError(error: unknown): SessionState | undefined {
  return isBowlineError(error) && error.status < 300 ? parseState(mismatchedResponse(error)) : undefined
}

function parseState(response: unknown): SessionState | undefined {
  const parsed = stateSchema.safeParse(response)
  if (!parsed.success) return undefined
  const { status, ...billFields } = parsed.data
  return { ...(status !== undefined && { status }), ...billFieldsOf(billFields) }
}

function isAlive({ status }: SessionState): boolean {
  return isAliveStatus(status)
}

/** Failed readings in a row after which the state of a session stays unknown. */
const maxUnknownReadings = 4

/**
 * Pause between requests, in milliseconds, at which a session counts as deleted if the service has
 * only ever accepted its deletion and does not report its state.
 */
const unreportedLimitMs = 2000

/** Whether the service has responded 202 without a state. */
function isAccepted({ status }: SessionState): boolean {
  return status === 'accepted'
}

function isBilled({ sessionDurationMs, creditsBilled }: BillFields): boolean {
  return sessionDurationMs !== undefined && creditsBilled !== undefined
}

/** Excludes a 404 without JSON: it comes from a proxy or a wrong base URL, and proves nothing. */
function isGone(error: unknown): boolean {
  return isBowlineError(error) && error.code !== 'RESPONSE_INVALID' && isGoneStatus(error.status)
}

function stillAlive(id: string, { status }: SessionState): BowlineError {
  return new BowlineError('DELETE_FAILED', `Session ${id} is still ${status} after the service accepted its deletion`)
}

function billFieldsOf(fields: BillFields): BillFields {
  const { name, metadata, sessionDurationMs, creditsBilled, endReason, profile } = fields
  return {
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(sessionDurationMs === undefined ? {} : { sessionDurationMs }),
    ...(creditsBilled === undefined ? {} : { creditsBilled }),
    ...(endReason === undefined ? {} : { endReason }),
    ...(profile === undefined ? {} : { profile }),
  }
}
