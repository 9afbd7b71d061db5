import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { profileOutcome, type ProfileOutcome } from '../contract/browser.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'

/** The figures of a bill. */
export interface Figures {
  readonly sessionDurationMs?: number | undefined
  readonly creditsBilled?: number | undefined
  readonly profile?: ProfileOutcome | undefined
}

/** How a session is deleted. */
export interface DeletionOptions {
  /** Has the service keep recordings that are for failures. Default false. */
  readonly hasFailed?: boolean | undefined
  /** Milliseconds to wait for a service that stops sessions in the background. Default 30,000. */
  readonly settleMs?: number | undefined
}

const deletionRetries = 6

/**
 * Deletes a session and reads its figures. Services that know only `DELETE /v2/browser` with the id in the body are
 * asked that way. A service that is still stopping the session is polled until it has stopped and the bill is known.
 * Rejects when the service does not know the session, did not confirm the deletion after seven tries, or has not
 * stopped the session after `settleMs`.
 */
export async function deleteSession(call: Call, id: string, options: DeletionOptions = {}): Promise<Figures> {
  const { hasFailed = false, settleMs = 30_000 } = options
  const endMs = Date.now() + settleMs
  let answer = await requestDeletion(call, id, hasFailed)
  let wasAlive = false
  for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, 4000)) {
    if (isBilled(answer) && !isAlive(answer)) return figuresOf(answer)
    const seen = await readSession(call, id)
    const known = { ...answer, ...seen }
    wasAlive ||= isAlive(answer) || isAlive(known)
    // Without an answer about the session, the one to the deletion counts.
    if (!isAlive(known)) {
      if (isBilled(known) || !wasAlive) return figuresOf(known)
      // Services that stop in the background tell the bill to a second deletion, too.
      return figuresOf({ ...known, ...(await requestDeletion(call, id, hasFailed).catch(() => ({}))) })
    }
    if (Date.now() + pauseMs > endMs) throw answer.conflict ?? stillAlive(id, known)
    await sleep(pauseMs)
    if (seen === undefined || answer.conflict !== undefined) answer = await deleteAgain(call, id, hasFailed, answer)
  }
}

/** The same for a session that may have ended by itself: being gone counts as deleted, without figures. */
export async function deleteSessionIfThere(call: Call, id: string, options: DeletionOptions = {}): Promise<Figures> {
  return deleteSession(call, id, options).catch((error: unknown) => {
    if (isGone(error)) return {}
    throw error
  })
}

/** What a service says of a session that is to end. */
interface Answer extends Figures {
  readonly status?: string | undefined
  /** The error of a service that cannot delete the session right now. */
  readonly conflict?: BowlineError | undefined
}

const looseAnswer = z.looseObject({
  status: z.string().optional(),
  sessionDurationMs: z.number().optional(),
  creditsBilled: z.number().optional(),
  profile: profileOutcome.optional().catch(undefined),
})

async function requestDeletion(call: Call, id: string, hasFailed: boolean): Promise<Answer> {
  const query = hasFailed ? { failed: 'true' as const } : {}
  try {
    const answer = await call('deleteSession', { params: { id }, query }, { retries: deletionRetries })
    return readAnswer(answer) ?? {}
  } catch (error) {
    const answer = answerIn(error)
    if (answer !== undefined) return answer
    if (!isBowlineError(error)) throw error
    if (error.status === 409) return { status: 'stopping', conflict: error }
    if (unknownRoute.has(error.status)) return deleteByBody(call, id, { hasFailed, error })
    throw error
  }
}

/** Statuses of services without the route, and of those without the session. */
const unknownRoute: ReadonlySet<number> = new Set([404, 405, 501])

async function deleteByBody(
  call: Call,
  id: string,
  { hasFailed, error: first }: { readonly hasFailed: boolean; readonly error: BowlineError },
): Promise<Answer> {
  const body = { id, ...(hasFailed && { failed: true }) }
  try {
    return readAnswer(await call('deleteSessionByBody', { body }, { retries: deletionRetries })) ?? {}
  } catch (error) {
    const answer = answerIn(error)
    if (answer !== undefined) return answer
    const isKnown = isBowlineError(error) && error.status !== 400 && !unknownRoute.has(error.status)
    throw isKnown || (isGone(error) && !isGone(first)) ? error : first
  }
}

/** Once the service has said that it is stopping the session, its absence is the end that was asked for. */
async function deleteAgain(call: Call, id: string, hasFailed: boolean, before: Answer): Promise<Answer> {
  return requestDeletion(call, id, hasFailed).catch((error: unknown) => {
    if (isGone(error)) return figuresOf(before)
    throw error
  })
}

/** Undefined: the service does not tell. */
async function readSession(call: Call, id: string): Promise<Answer | undefined> {
  try {
    return readAnswer(await call('getSession', { params: { id } }, { retries: 0 }))
  } catch (error) {
    return answerIn(error)
  }
}

/** Other services have states that our schema does not: what they say of the bill counts all the same. */
function answerIn(error: unknown): Answer | undefined {
  if (!isBowlineError(error) || error.code !== 'RESPONSE_INVALID' || error.status >= 300) return undefined
  const { answer } = (error.details ?? {}) as { readonly answer?: unknown }
  return readAnswer(answer)
}

function readAnswer(answer: unknown): Answer | undefined {
  const parsed = looseAnswer.safeParse(answer)
  if (!parsed.success) return undefined
  const { status, ...figures } = parsed.data
  return { ...(status !== undefined && { status }), ...figuresOf(figures) }
}

const aliveStates: ReadonlySet<string | undefined> = new Set([
  'active',
  'starting',
  'running',
  'suspending',
  'suspended',
  'resuming',
  'stopping',
])

function isAlive({ status }: Answer): boolean {
  return aliveStates.has(status)
}

function isBilled({ sessionDurationMs, creditsBilled }: Figures): boolean {
  return sessionDurationMs !== undefined && creditsBilled !== undefined
}

/** A 404 without JSON comes from a proxy or a wrong base URL, and proves nothing about the session. */
function isGone(error: unknown): boolean {
  return isBowlineError(error) && error.code !== 'RESPONSE_INVALID' && [404, 410].includes(error.status)
}

function stillAlive(id: string, { status }: Answer): BowlineError {
  return new BowlineError(
    'DELETE_FAILED',
    `The service accepted the deletion of session ${id}, which is still ${status}`,
  )
}

function figuresOf({ sessionDurationMs, creditsBilled, profile }: Figures): Figures {
  return {
    ...(sessionDurationMs === undefined ? {} : { sessionDurationMs }),
    ...(creditsBilled === undefined ? {} : { creditsBilled }),
    ...(profile === undefined ? {} : { profile }),
  }
}
