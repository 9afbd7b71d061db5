import type { HandoffEndedBy, HandoffInput } from '../contract/handoff.ts'
import { handoffLimits } from '../contract/handoff.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { isBowlineError } from '../kit/errors.ts'
import type { Call, CallOutput } from './call.ts'
import { checkOptions, type OptionNames } from './check-options.ts'
import { graceMs } from './request-timeout.ts'

/**
 * Options of `session.handoff()`. Aborting ends the hand-off.
 *
 * @example
 * ```ts
 * import { Bowline, type HandoffOptions } from 'bowline'
 *
 * const options: HandoffOptions = { instructions: 'Sign in', timeoutMs: 300_000, input: 'fail' }
 * await using session = await new Bowline().sessions.create({ ttl: 600 })
 * console.log(session.interactiveLiveViewUrl)
 * const { success, reason } = await session.handoff(options)
 * console.log(success, reason)
 * ```
 */
export interface HandoffOptions extends Abortable {
  /** Task of the human, shown in the live view. At most 4096 characters. */
  readonly instructions: string
  /** Target id of the page. Default: the page that was used last. */
  readonly targetId?: string | undefined
  /** Milliseconds until the hand-off ends without success, up to 24 hours. Default: 30 minutes. */
  readonly timeoutMs?: number | undefined
  /** Whether input of clients waits for the end of the hand-off or fails. Default: `wait`. */
  readonly input?: HandoffInput['input']
  /** Called when the hand-off has started: the live view shows the instructions. */
  readonly onStart?: (() => void) | undefined
}

/**
 * Outcome of a hand-off to a human.
 *
 * @example
 * ```ts
 * import { Bowline, type HandoffResult } from 'bowline'
 *
 * await using session = await new Bowline().sessions.create({ ttl: 900 })
 * console.log(session.interactiveLiveViewUrl)
 * const outcome: HandoffResult = await session.handoff({
 *   instructions: 'Sign in',
 *   timeoutMs: 600_000,
 * })
 * if (!outcome.success) console.error(outcome.endedBy, outcome.reason)
 * ```
 */
export interface HandoffResult {
  /** Whether the human, or a client over CDP, reported success. */
  readonly success: boolean
  /** Note of the human. Without a note or success, a sentence about the failure or the limit. */
  readonly reason: string | undefined
  readonly endedBy: HandoffEndedBy
}

/** Hands a page of a session to a human, and resolves when the hand-off has ended. */
export async function handOff(call: Call, id: string, options: HandoffOptions): Promise<HandoffResult> {
  checkOptions('session.handoff()', options, optionNames)
  const { signal, timeoutMs: timeout, onStart, ...body } = options
  signal?.throwIfAborted()
  // Not aborted, because a hand-off whose id never arrives could not be ended.
  const starting = call('startHandoff', { params: { id }, query: {}, body: { ...body, timeout } })
  try {
    const { handoff } = await abortable(starting, signal)
    onStart?.()
    return await waitForEnd(call, { id, handoffId: handoff.id }, signal)
  } catch (error) {
    if (signal?.aborted === true) void cancel(call, id, starting)
    throw error
  }
}

async function waitForEnd(
  call: Call,
  params: { readonly id: string; readonly handoffId: string },
  signal: AbortSignal | undefined,
): Promise<HandoffResult> {
  const { maxWaitSeconds: wait } = handoffLimits
  for (;;) {
    try {
      const options = { signal, timeoutMs: wait * 1000 + graceMs }
      const { handoff } = await call('getHandoff', { params, query: { wait } }, options)
      const { status, reason, endedBy } = handoff
      if (endedBy !== undefined) return { success: status === 'succeeded', reason, endedBy }
    } catch (error) {
      if (!isBowlineError(error) || error.code !== 'SESSION_ENDED') throw error
      return { success: false, reason: 'The session has ended', endedBy: 'session-ended' }
    }
  }
}

/** Cancels a hand-off after the caller has aborted it. Never rejects: it also times out. */
async function cancel(call: Call, id: string, starting: Promise<CallOutput<'startHandoff'>>): Promise<void> {
  await starting
    .then(async ({ handoff }) => call('cancelHandoff', { params: { id, handoffId: handoff.id } }))
    .catch(() => undefined)
}

const optionNames: OptionNames<HandoffOptions> = {
  signal: true,
  instructions: true,
  targetId: true,
  timeoutMs: true,
  input: true,
  onStart: true,
}
