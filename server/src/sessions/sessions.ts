import type { EndReason } from 'bowline/contract/browser'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { messageOf } from 'bowline/kit/message-of'
import { errorCodeOf } from '../metrics/error-code-of.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { priceOfSession } from '../billing/prices.ts'
import { currentSpan, inSpan } from '../kit/current-work.ts'
import { findTeam } from '../teams/team-queries.ts'
import { admit, assertCanPay, findRepeated, type NewSession } from './admit-session.ts'
import { billSession, endFailedStart, type ProfileSaveOutcome } from './bill.ts'
import { reserveBrowser, type BrowserReservation } from './browser-reservation.ts'
import { concurrencyLimit, limitedByOf, type LimitFacts } from './concurrency-limit.ts'
import { drainingError } from './draining-error.ts'
import type { LiveSession, SessionCore } from './live-session.ts'
import { SessionClock } from './session-clock.ts'
import { createEntry, endOf, errorOf, type Entry } from './session-entry.ts'
import { endStraySession } from './end-stray-session.ts'
import { settleProfile } from './settle-profile.ts'
import type { EndRequest, SessionsDeps } from './session-deps.ts'
import { updateEntry } from './update-entry.ts'
import type { SessionChange } from './update-session.ts'

/**
 * The sessions whose browsers run on this node. Creates them, ends each exactly once, and bills it.
 */
export class Sessions implements AsyncDisposable {
  readonly #deps: SessionsDeps
  readonly #entries = new Map<string, Entry>()
  /** Creations in progress by team and idempotency key. A repeated request waits for the first. */
  readonly #creations = new Map<string, Promise<SessionRow>>()
  readonly #closing = new Set<Promise<void>>()
  /** Sessions that are starting, from before their admission until their browser is ready. */
  readonly #starts = new Map<string, { readonly apiKeyId: string; readonly started: Promise<unknown> }>()
  readonly #draining = new AbortController()
  readonly #freedListeners = new Set<(teamId: string) => void>()

  constructor(deps: SessionsDeps) {
    this.#deps = deps
  }

  /** Number of live and starting sessions. */
  get liveSessionCount(): number {
    return this.#entries.size + this.#starts.size
  }

  get maxSessions(): number {
    return this.#deps.maxSessions
  }

  /** Whether the server is draining and creates no sessions. */
  get isDraining(): boolean {
    return this.#draining.signal.aborted
  }

  /** Aborts when draining starts. */
  get draining(): AbortSignal {
    return this.#draining.signal
  }

  /** Finds a live session of this node. Undefined if it has ended or runs on another node. */
  find(id: string): LiveSession | undefined {
    const entry = this.#entries.get(id)
    return entry === undefined || entry.session.ended.aborted ? undefined : entry.session
  }

  /** Resolves when a starting session has started or failed. Resolves immediately for others. */
  async whenStarted(id: string): Promise<void> {
    // The creator receives the error of a failed start.
    await this.#starts.get(id)?.started.catch(() => undefined)
  }

  /** Lists the live sessions of this node. */
  list(): readonly LiveSession[] {
    return [...this.#entries.values()].map((entry) => entry.session).filter((session) => !session.ended.aborted)
  }

  /** Ids of the browsers of this node's sessions, also of those that are ending. */
  browserIds(): readonly string[] {
    return [...this.#entries.values()].map(({ session }) => session.browser.id)
  }

  /**
   * Calls `listener` with the team whenever a session has ended or failed to start on this node.
   */
  onFreed(listener: (teamId: string) => void): void {
    this.#freedListeners.add(listener)
  }

  /** Remaining lifetimes in milliseconds of the live sessions on this node, of one team or all. */
  leftMs(teamId?: string): readonly number[] {
    return [...this.#entries.values()]
      .filter(({ session }) => teamId === undefined || session.row.teamId === teamId)
      .map(({ clock }) => clock.leftMs())
  }

  /**
   * Returns whether a request needs no slot, because an earlier one with its idempotency key has
   * the session. Otherwise throws INSUFFICIENT_CREDITS if its team cannot pay, so that it does not
   * wait for a slot.
   */
  async isRepeated(newSession: NewSession): Promise<boolean> {
    if (this.isDraining) throw drainingError()
    const { store, prices } = this.#deps
    if ((await findRepeated(store, newSession)) !== undefined) return true
    await assertCanPay(store, newSession, priceOfSession(prices, newSession.request.ttl * 1000))
    return false
  }

  /** Throws CONCURRENCY_LIMIT if a team is at its limit. */
  async assertTeamHasSlot(teamId: string): Promise<void> {
    const {
      maxConcurrency: limit,
      activeSessions = 0,
      activeScrapes = 0,
    } = (await findTeam(this.#deps.store.db, teamId)) ?? {}
    if (limit !== undefined && activeSessions + activeScrapes >= limit)
      throw this.#limitError({ limitedBy: 'team', limit })
  }

  /**
   * Starts a session, or returns the one an earlier request with the same idempotency key started.
   * Throws INSUFFICIENT_CREDITS, CONCURRENCY_LIMIT, IDEMPOTENCY_KEY_REUSED, SESSION_ENDED,
   * PROFILE_LOCKED, PROFILE_UNREADABLE, PROFILE_STORAGE_UNAVAILABLE, BROWSER_START_FAILED,
   * EGRESS_REFUSED for the webhook, or DRAINING.
   */
  async create(newSession: NewSession): Promise<SessionRow> {
    if (newSession.idempotencyKey === undefined) return this.#create(newSession)
    const key = `${newSession.teamId} ${newSession.idempotencyKey}`
    // The store has the outcome of the earlier request, and its error goes to its own caller. When
    // several requests wait for it, one continues and the others wait for that one.
    while (this.#creations.has(key)) await this.#creations.get(key)?.catch(() => undefined)
    const creation = this.#create(newSession)
    this.#creations.set(key, creation)
    try {
      return await creation
    } finally {
      this.#creations.delete(key)
    }
  }

  /**
   * Whether an active session, just read from the store, belongs to this node but is not known
   * here.
   */
  isStray({ id, nodeId }: SessionRow): boolean {
    return nodeId === this.#deps.nodeId && !this.#entries.has(id) && !this.#starts.has(id)
  }

  /**
   * Ends a live session: closes its sockets, saves its profile, bills it and stops its browser.
   * Returns undefined if it does not run here.
   */
  async end(id: string, reason: EndReason, how: Omit<EndRequest, 'reason'> = {}): Promise<SessionRow | undefined> {
    // A session is visible before its browser has started, and its TTL may end by then. It must not
    // start after its end.
    if (!this.#entries.has(id)) await this.whenStarted(id)
    const entry = this.#entries.get(id)
    if (entry === undefined) return undefined
    entry.ending ??= this.#end(entry, { ...how, reason })
    return entry.ending
  }

  /**
   * Changes a live session and its timers. Returns undefined if it does not run here, or is ending.
   * Throws SESSION_ENDED, INSUFFICIENT_CREDITS or BAD_REQUEST.
   */
  async update(id: string, change: SessionChange): Promise<SessionRow | undefined> {
    const entry = this.#entries.get(id)
    return entry === undefined || entry.session.ended.aborted ? undefined : updateEntry(this.#deps, entry, change)
  }

  /**
   * Ends every session on this node that a revoked API key created, also those that are starting.
   * Resolves when they are billed, also those that are ending for another reason. Never rejects.
   * Other nodes do the same in their heartbeats.
   */
  async endSessionsOfKey(apiKeyId: string): Promise<void> {
    const live = [...this.#entries.values()].map(({ session: { row } }) => [row.id, row] as const)
    const own = [...live, ...this.#starts].filter(([, session]) => session.apiKeyId === apiKeyId)
    await Promise.all(
      own.map(async ([id]) =>
        this.end(id, 'revoked').catch((error: unknown) => this.#deps.onError(error, `ending session ${id} (revoked)`)),
      ),
    )
  }

  /** Stops creating sessions. */
  startDraining(): void {
    this.#draining.abort()
  }

  /**
   * Stops creating sessions, ends and bills all live ones. Resolves when the last browser has
   * exited.
   */
  async drain(): Promise<void> {
    this.startDraining()
    while (this.#starts.size > 0) await Promise.allSettled([...this.#starts.values()].map(({ started }) => started))
    await Promise.allSettled([...this.#entries.keys()].map(async (id) => this.end(id, 'drained')))
    await Promise.allSettled(this.#closing)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain()
  }

  async #create(newSession: NewSession): Promise<SessionRow> {
    await this.#deps.webhooks.assertPermitted(newSession.request.webhook)
    if (this.isDraining) throw drainingError()
    const { maxSessions: limit, store } = this.#deps
    const credits = priceOfSession(this.#deps.prices, newSession.request.ttl * 1000)
    if (this.liveSessionCount >= limit) {
      // The session in the last slot may be the one that this request created before.
      const earlier = await findRepeated(store, newSession)
      if (earlier !== undefined) return earlier
      await assertCanPay(store, newSession, credits)
      throw this.#limitError({ limitedBy: 'server', limit })
    }
    const id = uuidV7()
    const start = inSpan('session.create', async () => this.#admitAndStart(id, newSession, credits))
    this.#starts.set(id, { apiKeyId: newSession.apiKeyId, started: start })
    try {
      return await start
    } catch (error) {
      this.#countFailure(error)
      // A refused session has not used the slot, so waiting requests would only be refused again.
      if (limitedByOf(error) === undefined) queueMicrotask(() => this.#notifyFreed(newSession.teamId))
      throw error
    } finally {
      this.#starts.delete(id)
    }
  }

  #countFailure(error: unknown): void {
    // Attempts of a request that waits in the queue. Its end is counted where it is answered.
    if (limitedByOf(error) !== undefined) return
    this.#deps.metrics?.increment('bowline_session_start_failures_total', { reason: errorCodeOf(error) })
  }

  async #admitAndStart(id: string, newSession: NewSession, credits: number): Promise<SessionRow> {
    const startedAtMs = performance.now()
    const reservation = await reserveBrowser(this.#deps, id, newSession)
    const loadedVersion = reservation.profile?.loadedVersion
    const admission = {
      id,
      newSession,
      credits,
      loadedVersion,
      limitError: (facts: LimitFacts) => this.#limitError(facts),
    }
    const admitted = await admit(this.#deps, admission).catch(async (error: unknown) => {
      await this.#discard(reservation)
      throw error
    })
    newSession.onAdmitted?.()
    const savesOnSuccess = newSession.request.profile?.saveChanges === 'on-success'
    if (admitted.isNew) return this.#start(admitted.row, startedAtMs, { reservation, savesOnSuccess })
    await this.#discard(reservation)
    if (!this.isStray(admitted.row)) return admitted.row
    await endStraySession(this.#deps, admitted.row)
    return this.#admitAndStart(id, newSession, credits)
  }

  async #start(
    row: SessionRow,
    startedAtMs: number,
    { reservation, savesOnSuccess }: { readonly reservation: BrowserReservation; readonly savesOnSuccess: boolean },
  ): Promise<SessionRow> {
    const browser = await reservation.take().catch(async (error: unknown) => {
      await this.#discard(reservation)
      await endFailedStart(this.#deps, row, error)
      throw error
    })
    const controller = new AbortController()
    const clock = new SessionClock({ row, startedAtMs }, (reason) => this.#endInBackground(row.id, reason))
    const { ageMs, lastUseMs, lastActivityAt, touch, suspendIdle } = clock
    const age = { ageMs, lastUseMs, lastActivityAt, touch, suspendIdle }
    const resources = new AsyncDisposableStack()
    const traceparent = currentSpan()?.traceparent
    const core: SessionCore = { ...age, row, browser, traceparent, ended: controller.signal, resources }
    const session: LiveSession = { ...core, ...this.#deps.openComponents(core), recording: undefined }
    const { profile } = reservation
    const entry = createEntry({ session, clock, controller, profile, savesOnSuccess })
    try {
      await this.#deps.onStart(session)
    } catch (error) {
      throw await this.#abandon(entry, error)
    }
    this.#entries.set(row.id, entry)
    await this.#deps.webhooks.started(row)
    this.#deps.metrics?.observe('bowline_session_start_seconds', {}, (performance.now() - startedAtMs) / 1000)
    void browser.exited.then(() => session.ended.aborted || this.#endInBackground(row.id, 'crashed', errorOf(browser)))
    return row
  }

  /**
   * Ends a session whose setup failed. It costs nothing and saves nothing. Returns the error for
   * its creator.
   */
  async #abandon(entry: Entry, cause: unknown): Promise<BowlineError> {
    const { id } = entry.session.row
    const error = messageOf(cause)
    // Registered from now on, so that a failed bill is retried.
    this.#entries.set(id, entry)
    await this.end(id, 'crashed', { isUnclaimed: true, error }).catch((failure: unknown) =>
      this.#deps.onError(failure, `ending session ${id} after its setup failed`),
    )
    if (cause instanceof BowlineError) return cause
    return new BowlineError('BROWSER_START_FAILED', `The setup of the session failed: ${error}`, { cause })
  }

  /** Releases the browser and profile of a session that does not start. Never rejects. */
  async #discard(reservation: BrowserReservation): Promise<void> {
    await reservation
      .discard()
      .catch((error: unknown) => this.#deps.onError(error, 'releasing the browser and profile of a failed session'))
  }

  #endInBackground(id: string, reason: EndReason, error?: string): void {
    this.end(id, reason, error === undefined ? {} : { error }).catch((error: unknown) =>
      this.#deps.onError(error, `ending session ${id} (${reason})`),
    )
  }

  async #end(entry: Entry, how: EndRequest): Promise<SessionRow> {
    const { row } = entry.session
    entry.clock[Symbol.dispose]()
    const end = (entry.end ??= endOf(entry, how))
    entry.controller.abort(end.reason)
    try {
      entry.finishing ??= this.#finish(entry, how)
      const profile = await entry.finishing
      const ended = await billSession(this.#deps, row, { ...end, profile })
      clearTimeout(entry.billRetry)
      this.#entries.delete(row.id)
      this.#deps.onEnd(ended)
      this.#notifyFreed(row.teamId)
      return ended
    } catch (error) {
      // The bill was not stored. It is retried after a second, by a later delete, or at the next
      // start.
      entry.ending = undefined
      clearTimeout(entry.billRetry)
      entry.billRetry = setTimeout(
        () => this.isDraining || this.#endInBackground(row.id, end.reason),
        billRetryMs,
      ).unref()
      throw error
    } finally {
      // Last, because searching all processes of the browser's user blocks the event loop.
      this.#close(entry.session)
    }
  }

  /** Saves the profile, files and recordings of an ending session. Never rejects. */
  async #finish(entry: Entry, how: EndRequest): Promise<ProfileSaveOutcome | undefined> {
    const { onEnding, onError } = this.#deps
    const { session } = entry
    const [saved] = await Promise.all([
      settleProfile(entry, how, onError),
      onEnding(session, how).catch((error: unknown) =>
        onError(error, `storing files and recordings of session ${session.row.id}`),
      ),
    ])
    return saved
  }

  #close({ browser, resources }: LiveSession): void {
    // In parallel, because detaching from a browser that hangs completes only once it is killed.
    const closing = Promise.all([browser.kill(), resources.disposeAsync()])
      .then(() => undefined)
      .catch((error: unknown) => this.#deps.onError(error, `stopping browser ${browser.pid}`))
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #notifyFreed(teamId: string): void {
    for (const listener of this.#freedListeners) listener(teamId)
  }

  #limitError(facts: LimitFacts): BowlineError {
    // Most sessions end long before their TTL, so clients should retry sooner.
    const waitMs = Math.min(maxRetryAfterMs, ...this.leftMs())
    const waitSeconds = Math.ceil(waitMs / 1000)
    return concurrencyLimit(facts, Math.max(1, waitSeconds))
  }
}

/** Delay before a failed bill is retried, in milliseconds. */
const billRetryMs = 1000

/** Maximum `Retry-After` when all sessions are in use, in milliseconds. */
const maxRetryAfterMs = 5000
