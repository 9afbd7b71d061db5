import { randomUUID } from 'node:crypto'
import type { HandoffEndedBy, HandoffSummary } from 'bowline/contract/handoff'
import { BowlineError } from 'bowline/kit/errors'
import type { TargetKinds } from '../cdp/internal-pages.ts'
import type { PageFocus } from '../cdp/page-focus.ts'
import type { CdpRouter } from '../cdp/router.ts'
import { sessionEnded } from '../kit/session-ended.ts'

/** A request for a human. */
export interface HandoffRequest {
  readonly targetId: string
  readonly instructions: string
  readonly timeoutMs: number
  /** Whether input of clients waits for the end of the hand-off, or fails. */
  readonly input: 'wait' | 'fail'
}

/** How a hand-off ends. */
export interface HandoffEnd {
  readonly isSuccess: boolean
  readonly endedBy: HandoffEndedBy
  readonly reason?: string | undefined
}

/** A hand-off of a page to a human. */
export interface Handoff extends HandoffRequest {
  readonly id: string
  readonly startedAt: Date
  /** Undefined while it is open. */
  readonly end: (HandoffEnd & { readonly at: Date }) | undefined
}

/** Dependencies of `Handoffs`. */
export interface HandoffsDeps {
  readonly browser: { readonly router: Pick<CdpRouter, 'call' | 'onEvent'>; readonly targetKinds: TargetKinds }
  readonly focus: Pick<PageFocus, 'set'>
  /** Aborts when the session ends. */
  readonly ended: AbortSignal
  /** Suspends the inactivity timeout of the session until the returned function is called. */
  readonly suspendIdle: () => () => void
}

/** Maximum number of ended hand-offs that clients can still read. */
const maxEnded = 20

interface OpenHandoff {
  handoff: Handoff
  readonly cleanup: DisposableStack
}

/** The hand-offs of one session, at most one open per page. */
export class Handoffs implements Disposable {
  readonly #deps: HandoffsDeps
  /** By target id. */
  readonly #open = new Map<string, OpenHandoff>()
  /** By id, oldest first. */
  readonly #ended = new Map<string, Handoff>()
  readonly #listeners = new Set<(handoff: Handoff) => void>()

  constructor(deps: HandoffsDeps) {
    this.#deps = deps
    deps.ended.addEventListener('abort', () => this[Symbol.dispose](), { once: true })
  }

  /** Whether a hand-off is open. Read for every command of a client. */
  get isAnyOpen(): boolean {
    return this.#open.size > 0
  }

  /** The open hand-offs, oldest first. */
  get open(): readonly Handoff[] {
    return [...this.#open.values()].map(({ handoff }) => handoff)
  }

  /** The open hand-off of a page. */
  of(targetId: string): Handoff | undefined {
    return this.#open.get(targetId)?.handoff
  }

  /** Returns an open hand-off or one of the last 20 ended ones. Throws HANDOFF_NOT_FOUND. */
  get(id: string): Handoff {
    const handoff = this.#ended.get(id) ?? this.open.find((each) => each.id === id)
    if (handoff !== undefined) return handoff
    throw new BowlineError('HANDOFF_NOT_FOUND', `The session has no hand-off ${JSON.stringify(id.slice(0, 100))}`)
  }

  /**
   * Hands a page to a human. Throws TARGET_NOT_FOUND if it is not an open page, HANDOFF_OPEN if it
   * has an open hand-off, or SESSION_ENDED.
   */
  async start(request: HandoffRequest): Promise<Handoff> {
    const { browser, focus, ended, suspendIdle } = this.#deps
    const { targetId, timeoutMs } = request
    await this.#assertPage(targetId)
    if (ended.aborted) throw sessionEnded(ended.reason)
    const existing = this.of(targetId)
    if (existing !== undefined) {
      throw new BowlineError('HANDOFF_OPEN', `The page is already handed off to a human (${existing.id})`)
    }
    const handoff: Handoff = { ...request, id: randomUUID(), startedAt: new Date(), end: undefined }
    const cleanup = new DisposableStack()
    this.#open.set(targetId, { handoff, cleanup })
    cleanup.defer(suspendIdle())
    cleanup.defer(
      browser.router.onEvent(({ method, params, sessionId }) => {
        if (method !== 'Target.targetDestroyed' || sessionId !== undefined || params.targetId !== targetId) return
        this.#finish(targetId, { isSuccess: false, endedBy: 'page-closed', reason: 'The page was closed' })
      }),
    )
    const timer = setTimeout(() => this.#finish(targetId, timedOut(timeoutMs)), timeoutMs)
    cleanup.defer(() => clearTimeout(timer))
    focus.set(targetId)
    this.#notify(handoff)
    // It may have closed before its events were observed.
    await this.#assertPage(targetId).catch((error: unknown) => {
      this.#finish(targetId, { isSuccess: false, endedBy: 'page-closed', reason: 'The page was closed' })
      throw error
    })
    return handoff
  }

  /** Ends an open hand-off. Returns whether it was open. */
  end(id: string, end: HandoffEnd): boolean {
    const handoff = this.open.find((each) => each.id === id)
    if (handoff !== undefined) this.#finish(handoff.targetId, end)
    return handoff !== undefined
  }

  /**
   * Resolves to a hand-off once it has ended, or as it is when the signal aborts. Throws
   * HANDOFF_NOT_FOUND.
   */
  async whenEnded(id: string, signal: AbortSignal): Promise<Handoff> {
    if (this.get(id).end !== undefined || signal.aborted) return this.get(id)
    const { promise, resolve } = Promise.withResolvers<void>()
    using stack = new DisposableStack()
    stack.defer(this.onChange((handoff) => void (handoff.id === id && handoff.end !== undefined && resolve())))
    const onAbort = (): void => resolve()
    signal.addEventListener('abort', onAbort)
    stack.defer(() => signal.removeEventListener('abort', onAbort))
    await promise
    return this.get(id)
  }

  /** Calls the listener with each hand-off that starts or ends. Returns how to remove it. */
  onChange(listener: (handoff: Handoff) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends the open hand-offs, because the session ends. */
  [Symbol.dispose](): void {
    for (const targetId of this.#open.keys()) {
      this.#finish(targetId, { isSuccess: false, endedBy: 'session-ended', reason: 'The session has ended' })
    }
  }

  async #assertPage(targetId: string): Promise<void> {
    const { router, targetKinds } = this.#deps.browser
    const info = await router.call('Target.getTargetInfo', { targetId }).catch(() => undefined)
    if (info?.targetInfo.type === 'page' && targetKinds.kindOf(targetId) === 'web') return
    throw new BowlineError('TARGET_NOT_FOUND', `The session has no page ${JSON.stringify(targetId.slice(0, 100))}`)
  }

  #finish(targetId: string, end: HandoffEnd): void {
    const open = this.#open.get(targetId)
    if (open === undefined) return
    this.#open.delete(targetId)
    open.cleanup.dispose()
    const ended = { ...open.handoff, end: { ...end, at: new Date() } }
    this.#ended.set(ended.id, ended)
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest)
    this.#notify(ended)
  }

  #notify(handoff: Handoff): void {
    for (const listener of this.#listeners) listener(handoff)
  }
}

/** Describes a hand-off in responses. */
export function handoffSummary({ timeoutMs, startedAt, end, ...handoff }: Handoff): HandoffSummary {
  const { id, targetId, instructions, input } = handoff
  return {
    id,
    targetId,
    instructions,
    input,
    status: end === undefined ? 'open' : end.isSuccess ? 'succeeded' : 'failed',
    startedAt: startedAt.toISOString(),
    expiresAt: new Date(startedAt.getTime() + timeoutMs).toISOString(),
    ...(end === undefined ? {} : { endedAt: end.at.toISOString(), endedBy: end.endedBy }),
    ...(end?.reason === undefined ? {} : { reason: end.reason }),
  }
}

function timedOut(timeoutMs: number): HandoffEnd {
  return { isSuccess: false, endedBy: 'timeout', reason: `No human ended the hand-off within ${timeoutMs} ms` }
}
