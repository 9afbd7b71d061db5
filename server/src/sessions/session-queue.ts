import type { QueueProgress } from 'bowline/contract/queue-progress'
import { sleep } from 'bowline/kit/sleep'
import { BowlineError } from 'bowline/kit/errors'
import { runForAll } from '../kit/current-work.ts'
import { describeLimit, type LimitedBy } from './concurrency-limit.ts'
import { drainingError } from './draining-error.ts'
import { Waiter, type QueuedRequest, type QueueOutcome } from './queued-request.ts'
import type { Sessions } from './sessions.ts'
import { SlotEstimate } from './slot-estimate.ts'
import { TeamTurns, type TeamLine } from './team-turns.ts'
import { WaitingLines } from './waiting-lines.ts'

/** Dependencies of `SessionQueue`. */
export interface SessionQueueDeps {
  readonly sessions: Pick<Sessions, 'draining' | 'onFreed' | 'leftMs'>
  /** The work of teams that waits for one of their slots on this node. */
  readonly billing: TeamLine
  /** Called with every request that leaves the queue. */
  readonly onLeave: (outcome: QueueOutcome, waitedSeconds: number) => void
  readonly onError: (error: unknown, action: string) => void
}

/** Maximum number of waiting requests, in total and per API key. */
export const queueLimits = { total: 1000, perKey: 100 } as const

/** Sessions of other nodes end without notice. */
const tickMs = 1000

/** Keys may be revoked on other nodes. */
const ticksPerKeyCheck = 5

/** The next turn does not wait longer for an attempt, such as one on a slow node. */
const attemptMs = 1000

/**
 * Requests that wait for a session. Whenever a slot may be free, the API keys take turns, each with
 * its oldest request. A key whose team is at its limit does not hold up other teams.
 */
export class SessionQueue implements Disposable {
  readonly #deps: SessionQueueDeps
  readonly #lines = new WaitingLines()
  readonly #teams: TeamTurns
  readonly #estimate = new SlotEstimate()
  /** Requests whose clients receive positions. */
  readonly #listeners = new Set<Waiter>()
  #timer: NodeJS.Timeout | undefined
  #ticks = 0
  #isServing = false
  #mustServeAgain = false
  #mustReport = false

  constructor(deps: SessionQueueDeps) {
    this.#deps = deps
    this.#teams = new TeamTurns(deps.billing, () => this.#serve())
    deps.sessions.onFreed((teamId) => {
      this.#estimate.record(teamId)
      this.#serve()
    })
    deps.sessions.draining.addEventListener('abort', () => {
      for (const waiter of this.#lines.inOrder()) {
        this.#lines.remove(waiter)
        waiter.startHandOver()
      }
    })
  }

  /** Number of waiting requests. */
  get length(): number {
    return this.#lines.size
  }

  /** Returns why a new request of a team has to wait behind others, if it has to. */
  refusalFor(teamId: string): BowlineError | undefined {
    for (const { request, limitedBy, refusal } of this.#lines.inOrder()) {
      if (limitedBy === 'server' || request.teamId === teamId) return refusal
    }
    return undefined
  }

  /**
   * Returns the refusal of a request that does not wait, with the position that it would have had.
   */
  describe(request: QueuedRequest<unknown>): BowlineError {
    const waiter = new Waiter(request)
    const progress = this.#progressOf(waiter, this.#lines.positions(waiter).get(waiter))
    const hint =
      'Delete a session, or retry after the seconds in `Retry-After`. To wait in a queue, send `?wait=SECONDS`.'
    return describeLimit(request.refusal, progress, { hint })
  }

  /**
   * Waits for a slot and returns the created session. Throws CONCURRENCY_LIMIT when the wait has
   * taken too long or the queue is full, DRAINING, UNAUTHORIZED if the key is revoked, the reason
   * of the signal, or the error of the creation.
   */
  async enter<Result>(request: QueuedRequest<Result>): Promise<Result> {
    request.signal.throwIfAborted()
    if (this.#deps.sessions.draining.aborted) throw drainingError()
    this.#assertRoom(request)
    const waiter = new Waiter(request)
    this.#add(waiter as Waiter)
    const cancel = (): void => this.#end(waiter as Waiter, 'cancelled', request.signal.reason)
    request.signal.addEventListener('abort', cancel, { once: true })
    const timer = setTimeout(() => this.#timeOut(waiter as Waiter), request.waitMs)
    try {
      return await waiter.result
    } finally {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', cancel)
      this.#remove(waiter as Waiter)
      this.#deps.onLeave(waiter.outcome, (performance.now() - waiter.enteredAtMs) / 1000)
      // A request with the same idempotency key has the same session, and needs no slot.
      if (request.idempotencyKey !== undefined) this.#serveRepeated(request)
    }
  }

  /** Ends the wait of all requests of a revoked key. */
  endWaitersOfKey(apiKeyId: string): void {
    this.#endKey(apiKeyId, new BowlineError('UNAUTHORIZED', 'The API key was revoked'))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#teams[Symbol.dispose]()
  }

  #assertRoom(request: QueuedRequest<unknown>): void {
    const { total, perKey } = queueLimits
    const full =
      this.length >= total
        ? `The queue of this server is full: ${total} requests wait`
        : this.#lines.sizeOf(request.apiKeyId) >= perKey
          ? `The queue is full for this API key: ${perKey} of its requests wait`
          : undefined
    if (full === undefined) return
    const hint = 'Retry after the seconds in `Retry-After`, with fewer requests at once.'
    throw describeLimit(
      request.refusal,
      {},
      { message: `${request.refusal.message.replace(/\.$/, '')}. ${full}.`, hint },
    )
  }

  #add(waiter: Waiter): void {
    this.#lines.add(waiter)
    if (waiter.request.onProgress !== undefined) this.#listeners.add(waiter)
    this.#timer ??= runForAll(() => setInterval(() => this.#tick(), tickMs).unref())
    this.#report()
    // A slot may have become free since the request was refused.
    this.#serve()
  }

  #remove(waiter: Waiter): void {
    this.#lines.remove(waiter)
    this.#listeners.delete(waiter)
    this.#report()
    const { teamId } = waiter.request
    if (this.#teams.isInLine(teamId) && ![...this.#lines.inOrder()].some(({ request }) => request.teamId === teamId))
      this.#teams.leave(teamId)
    if (this.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #end(waiter: Waiter, outcome: QueueOutcome, error: unknown): void {
    waiter.end(outcome, error)
    if (!waiter.isTrying) this.#remove(waiter)
  }

  #timeOut(waiter: Waiter): void {
    this.#end(waiter, 'timeout', waiter.timeoutError(this.#progressOf(waiter, this.#lines.positions().get(waiter))))
  }

  #endKey(apiKeyId: string, error: unknown): void {
    for (const waiter of this.#lines.inOrder())
      if (waiter.request.apiKeyId === apiKeyId) this.#end(waiter, 'error', error)
  }

  #tick(): void {
    this.#ticks += 1
    if (this.#ticks % ticksPerKeyCheck === 0) this.#checkKeys()
    this.#serve()
  }

  #checkKeys(): void {
    const byKey = new Map([...this.#lines.inOrder()].map(({ request }) => [request.apiKeyId, request]))
    for (const [apiKeyId, request] of byKey)
      request.assertAllowed().catch((error: unknown) => this.#endKey(apiKeyId, error))
  }

  /** Gives turns until no request gets a session. Never rejects. */
  #serve(): void {
    if (this.#isServing) {
      this.#mustServeAgain = true
      return
    }
    if (this.length === 0) return
    this.#isServing = true
    void this.#giveTurns()
      .catch((error: unknown) => this.#deps.onError(error, 'serving the queue of sessions'))
      .finally(() => {
        this.#isServing = false
        if (!this.#mustServeAgain) return
        this.#mustServeAgain = false
        this.#serve()
      })
  }

  async #giveTurns(): Promise<void> {
    const limitedTeams = new Set<string>()
    for (;;) {
      const waiter = this.#next(limitedTeams)
      if (waiter === undefined) return
      const { teamId } = waiter.request
      const limitedBy = await this.#turn(waiter)
      this.#teams.endTurn(teamId, limitedBy)
      if (limitedBy === 'team') limitedTeams.add(teamId)
      // Every request needs a slot of the server.
      if (limitedBy === 'server') return this.#teams.leaveAll()
    }
  }

  #next(limitedTeams: ReadonlySet<string>): Waiter | undefined {
    for (const waiter of this.#lines.inOrder()) {
      const { teamId } = waiter.request
      if (!waiter.isTrying && !limitedTeams.has(teamId) && this.#teams.hasTurn(teamId)) return waiter
    }
    return undefined
  }

  /**
   * Tries to create the session of a request. Returns the limit that refused it. Returns
   * `undefined` once it has left the queue, or if the attempt is slow.
   */
  async #turn(waiter: Waiter): Promise<LimitedBy | undefined> {
    const admitted = Promise.withResolvers<undefined>()
    const timer = new AbortController()
    const onAdmitted = (): void => {
      // From now on it only waits for its browser.
      this.#lines.remove(waiter)
      this.#report()
      admitted.resolve(undefined)
    }
    const slow = sleep(attemptMs, timer.signal).catch(() => undefined)
    const limitedBy = await Promise.race([waiter.try(onAdmitted), admitted.promise, slow])
    timer.abort()
    if (limitedBy === undefined) {
      this.#lines.rotate(waiter.request.apiKeyId)
      if (!waiter.isTrying) this.#lines.remove(waiter)
      this.#report()
    }
    return limitedBy
  }

  /** Gives a turn at once to the requests that have the same session. */
  #serveRepeated({ teamId, idempotencyKey }: QueuedRequest<unknown>): void {
    for (const waiter of this.#lines.inOrder()) {
      const { request, isTrying } = waiter
      if (isTrying || request.teamId !== teamId || request.idempotencyKey !== idempotencyKey) continue
      void waiter.try(() => undefined)
    }
  }

  /** Reports changed positions, once for all changes that occur together. */
  #report(): void {
    if (this.#listeners.size === 0 || this.#mustReport) return
    this.#mustReport = true
    setImmediate(() => {
      this.#mustReport = false
      this.#reportNow()
    })
  }

  #reportNow(): void {
    const estimators = new Map<string | undefined, (position: number) => number | null>()
    for (const [waiter, position] of this.#lines.positions()) {
      if (!this.#listeners.has(waiter)) continue
      const teamId = limitedTeamOf(waiter)
      const secondsUntil = estimators.get(teamId) ?? this.#estimator(teamId)
      estimators.set(teamId, secondsUntil)
      waiter.report({ position, estimatedSeconds: secondsUntil(position) })
    }
  }

  #progressOf(waiter: Waiter, position = 1): QueueProgress {
    return { position, estimatedSeconds: this.#estimator(limitedTeamOf(waiter))(position) }
  }

  #estimator(teamId: string | undefined): (position: number) => number | null {
    return this.#estimate.estimator({ teamId, leftMs: this.#deps.sessions.leftMs(teamId) })
  }
}

/** The team whose limit a request waits for. Undefined: it waits for a slot of the server. */
function limitedTeamOf({ limitedBy, request }: Waiter): string | undefined {
  return limitedBy === 'team' ? request.teamId : undefined
}
