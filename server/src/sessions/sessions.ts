import { setTimeout as delay } from 'node:timers/promises'
import type { EndReason } from 'bowline/contract/browser'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import type { Browser } from '../browsers/launch.ts'
import type { OpenProfile } from '../profiles/open-profile.ts'
import type { SessionRow } from '../store/sessions.ts'
import { priceOfSession } from '../usage/prices.ts'
import { admit, assertCanPay, findRepeated, type NewSession } from './admission.ts'
import { billSession, type ProfileEnd, type SessionEnd } from './bill.ts'
import { openSource, type BrowserSource } from './browser-source.ts'
import { startSessionClock, type LiveSession, type SessionClock } from './live-session.ts'
import { saveAtEnd } from './profile-browser.ts'
import { endStraySession } from './recovery.ts'
import type { SessionEnding, SessionDeps } from './session-deps.ts'

interface Entry {
  readonly session: LiveSession
  readonly clock: SessionClock
  readonly controller: AbortController
  readonly profile: OpenProfile | undefined
  ending: Promise<SessionRow> | undefined
  /** How and when it ended, however late the bill can be written. */
  end: Omit<SessionEnd, 'profile'> | undefined
  /** Until the bill is tried again. */
  billing: NodeJS.Timeout | undefined
  /** The browser is stopped and its profile saved once, however often the bill is tried. */
  finishing: Promise<ProfileEnd | undefined> | undefined
}

/** The sessions whose browsers run on this node: creates them, ends each exactly once, and bills it. */
export class Sessions implements AsyncDisposable {
  readonly #deps: SessionDeps
  readonly #entries = new Map<string, Entry>()
  /** Creations under way by team and idempotency key: a repeated request waits for the first. */
  readonly #creations = new Map<string, Promise<SessionRow>>()
  readonly #closing = new Set<Promise<void>>()
  /** Sessions being made, from before their admission until their browser is there. */
  readonly #starts = new Map<string, Promise<unknown>>()
  #starting = 0
  readonly #draining = new AbortController()

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  /** Sessions alive or being started. */
  get load(): number {
    return this.#entries.size + this.#starting
  }

  get maxSessions(): number {
    return this.#deps.maxSessions
  }

  /** True once `drain` was called: nothing new is taken on. */
  get isDraining(): boolean {
    return this.#draining.signal.aborted
  }

  /** Aborts when `drain` is called. */
  get draining(): AbortSignal {
    return this.#draining.signal
  }

  /** The live session with this id; undefined when it has ended or lives elsewhere. */
  find(id: string): LiveSession | undefined {
    const entry = this.#entries.get(id)
    return entry === undefined || entry.session.ended.aborted ? undefined : entry.session
  }

  /** Resolves when a session that is being started has come to life, or failed to. At once for every other. */
  async whenStarted(id: string): Promise<void> {
    await this.#starts.get(id)?.catch(() => undefined)
  }

  /** All live sessions of this node. */
  list(): readonly LiveSession[] {
    return [...this.#entries.values()].map((entry) => entry.session).filter((session) => !session.ended.aborted)
  }

  /**
   * Starts a session, or finds the one an earlier request with the same idempotency key started.
   * Throws INSUFFICIENT_CREDITS, CONCURRENCY_LIMIT, IDEMPOTENCY_KEY_REUSED, SESSION_ENDED, PROFILE_LOCKED,
   * PROFILE_UNREADABLE, PROFILE_STORAGE_UNAVAILABLE, BROWSER_START_FAILED, DRAINING.
   */
  async create(wanted: NewSession): Promise<SessionRow> {
    if (wanted.idempotencyKey === undefined) return this.#create(wanted)
    const key = `${wanted.teamId} ${wanted.idempotencyKey}`
    // Whatever became of the request before, the store knows; its error is its own caller's to see. Of those who waited
    // for it together, one goes on, and the others wait for that one.
    while (this.#creations.has(key)) await this.#creations.get(key)?.catch(() => undefined)
    const creation = this.#create(wanted)
    this.#creations.set(key, creation)
    try {
      return await creation
    } finally {
      this.#creations.delete(key)
    }
  }

  /** Whether an active session, just read from the store, is entered for this node and is not here. */
  isStray({ id, nodeId }: SessionRow): boolean {
    return nodeId === this.#deps.nodeId && !this.#entries.has(id) && !this.#starts.has(id)
  }

  /** Ends a live session: closes its sockets, saves its profile, bills it, stops its browser. Undefined when it is not alive here. */
  async end(id: string, reason: EndReason, how: Omit<SessionEnding, 'reason'> = {}): Promise<SessionRow | undefined> {
    // One whose browser is not there yet can be seen, and its time may be over: it must not come to life after its end.
    if (!this.#entries.has(id)) await this.whenStarted(id)
    const entry = this.#entries.get(id)
    if (entry === undefined) return undefined
    entry.ending ??= this.#end(entry, { ...how, reason })
    return entry.ending
  }

  /** Ends every session on this node that a revoked key created. Never rejects. The heartbeats of other nodes end theirs. */
  async endOfKey(apiKeyId: string): Promise<void> {
    const own = this.list().filter(({ row }) => row.apiKeyId === apiKeyId)
    await Promise.all(
      own.map(async ({ row: { id } }) =>
        this.end(id, 'revoked').catch((error: unknown) => this.#deps.onError(error, `ending session ${id} (revoked)`)),
      ),
    )
  }

  /** Takes nothing on any more, from this moment on. */
  startDraining(): void {
    this.#draining.abort()
  }

  /** Takes nothing on any more and ends every session, billed. Resolves when the last browser is gone. */
  async drain(): Promise<void> {
    this.startDraining()
    while (this.#starting > 0) await delay(20)
    await Promise.allSettled([...this.#entries.keys()].map(async (id) => this.end(id, 'drained')))
    await Promise.allSettled(this.#closing)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain()
  }

  async #create(wanted: NewSession): Promise<SessionRow> {
    if (this.isDraining) throw new BowlineError('DRAINING', 'This server is shutting down', { retryAfterSeconds: 5 })
    const credits = priceOfSession(this.#deps.prices, wanted.request.ttl * 1000)
    if (this.load >= this.#deps.maxSessions) {
      // The session that fills the last place may be the one that this very request has made before.
      const earlier = await findRepeated(this.#deps.store, wanted)
      if (earlier !== undefined) return earlier
      await assertCanPay(this.#deps.store, wanted, credits)
      throw this.#atLimit(`All ${this.#deps.maxSessions} sessions of this server are in use`)
    }
    const id = uuidV7()
    const start = this.#admitAndStart(id, wanted, credits)
    this.#starting += 1
    this.#starts.set(id, start)
    try {
      return await start
    } finally {
      this.#starts.delete(id)
      this.#starting -= 1
    }
  }

  async #admitAndStart(id: string, wanted: NewSession, credits: number): Promise<SessionRow> {
    const startedAtMs = performance.now()
    const source = await openSource(this.#deps, id, wanted)
    const order = { id, wanted, credits, atLimit: (message: string) => this.#atLimit(message) }
    const admitted = await admit(this.#deps, order).catch(async (error: unknown) => {
      await this.#discard(source)
      throw error
    })
    if (admitted.isNew) return this.#start(admitted.row, startedAtMs, source)
    await this.#discard(source)
    if (!this.isStray(admitted.row)) return admitted.row
    await endStraySession(this.#deps, admitted.row)
    return this.#admitAndStart(id, wanted, credits)
  }

  async #start(row: SessionRow, startedAtMs: number, source: BrowserSource): Promise<SessionRow> {
    const browser = await source.take().catch(async (error: unknown) => {
      await this.#discard(source)
      const end = { status: 'error', reason: 'crashed', durationMs: 0, error: messageOf(error) } as const
      await billSession(this.#deps, row, end)
      throw error
    })
    const controller = new AbortController()
    const clock = startSessionClock({ row, startedAtMs }, (reason) => this.#endUnasked(row.id, reason))
    const { ageMs, lastUseMs, lastActivityAt, touch } = clock
    const age = { ageMs, lastUseMs, lastActivityAt, touch }
    const session: LiveSession = { ...age, row, browser, ended: controller.signal }
    const { profile } = source
    const unended = { ending: undefined, end: undefined, billing: undefined, finishing: undefined }
    const entry: Entry = { session, clock, controller, profile, ...unended }
    try {
      await this.#deps.onStart?.(session)
    } catch (error) {
      throw await this.#abandon(entry, error)
    }
    this.#entries.set(row.id, entry)
    void browser.exited.then(() => session.ended.aborted || this.#endUnasked(row.id, 'crashed', errorOf(browser)))
    return row
  }

  /** Ends a session that could not be set up: it costs nothing and saves nothing. Returns the error for its creator. */
  async #abandon(entry: Entry, cause: unknown): Promise<BowlineError> {
    const { id } = entry.session.row
    const error = messageOf(cause)
    // There from now on, so that a bill that cannot be written now is tried again.
    this.#entries.set(id, entry)
    await this.end(id, 'crashed', { isUnclaimed: true, error }).catch((failure: unknown) =>
      this.#deps.onError(failure, `ending session ${id}, which could not be set up`),
    )
    if (cause instanceof BowlineError) return cause
    return new BowlineError('BROWSER_START_FAILED', `The session could not be set up: ${error}`, { cause })
  }

  /** Undoes what was begun for a session. Never rejects: its creator is told why there is none. */
  async #discard(source: BrowserSource): Promise<void> {
    await source.discard().catch((error: unknown) => this.#deps.onError(error, 'giving back what a session was to use'))
  }

  #endUnasked(id: string, reason: EndReason, error?: string): void {
    this.end(id, reason, error === undefined ? {} : { error }).catch((error: unknown) =>
      this.#deps.onError(error, `ending session ${id} (${reason})`),
    )
  }

  async #end(entry: Entry, how: SessionEnding): Promise<SessionRow> {
    const { row } = entry.session
    entry.clock[Symbol.dispose]()
    const end = (entry.end ??= endOf(entry, how))
    entry.controller.abort(end.reason)
    try {
      entry.finishing ??= this.#finish(entry, how)
      const profile = await entry.finishing
      const ended = await billSession(this.#deps, row, { ...end, profile })
      clearTimeout(entry.billing)
      this.#entries.delete(row.id)
      this.#deps.onEnd?.(ended)
      return ended
    } catch (error) {
      // The bill is not written: it is tried again, by a later delete, after a while, or by the next start.
      entry.ending = undefined
      clearTimeout(entry.billing)
      entry.billing = setTimeout(() => this.isDraining || this.#endUnasked(row.id, end.reason), billAgainMs).unref()
      throw error
    } finally {
      // Last, because it keeps this thread from answering: every process of the browser's user is looked for.
      this.#close(entry.session.browser)
    }
  }

  /** Keeps what is to outlive the session. Never rejects. */
  async #finish(entry: Entry, how: SessionEnding): Promise<ProfileEnd | undefined> {
    const { onEnding, onError } = this.#deps
    const { session } = entry
    const [saved] = await Promise.all([
      how.isUnclaimed === true ? this.#discardProfile(entry) : this.#saveProfile(entry, how.reason),
      onEnding?.(session, how).catch((error: unknown) => onError(error, `keeping what session ${session.row.id} left`)),
    ])
    return saved
  }

  /** Saves the profile, if there is one to save. Never rejects. */
  async #saveProfile({ session, profile }: Entry, reason: EndReason): Promise<ProfileEnd | undefined> {
    if (profile === undefined) return undefined
    const { browser, row } = session
    return saveAtEnd(profile, browser, { sessionId: row.id, reason }).catch((error: unknown) => {
      this.#deps.onError(error, `saving the profile of session ${row.id}`)
      return { error: messageOf(error) }
    })
  }

  /** Gives the right to write the profile back. Never rejects. */
  async #discardProfile({ profile }: Entry): Promise<undefined> {
    try {
      await profile?.[Symbol.asyncDispose]()
    } catch (error) {
      this.#deps.onError(error, 'giving back the lease of a profile')
    }
  }

  #close(browser: Browser): void {
    const closing = browser
      .kill()
      .catch((error: unknown) => this.#deps.onError(error, `stopping browser ${browser.pid}`))
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #atLimit(message: string): BowlineError {
    // Most sessions are ended long before their time, so nobody should wait for that.
    const waitMs = Math.min(maxWaitMs, ...[...this.#entries.values()].map(({ clock }) => clock.leftMs()))
    const waitSeconds = Math.ceil(waitMs / 1000)
    return new BowlineError('CONCURRENCY_LIMIT', message, { retryAfterSeconds: Math.max(1, waitSeconds) })
  }
}

/** Milliseconds until a bill is tried again that could not be written. */
const billAgainMs = 1000

function endOf({ session, clock }: Entry, { reason, error, isUnclaimed }: SessionEnding): NonNullable<Entry['end']> {
  // What hangs is of no use to anybody. Timers may fire a millisecond early; a lifetime that is over is over.
  const usedMs = clock.ageMs() - (reason === 'crashed' ? session.browser.silentMs() : 0)
  const durationMs = reason === 'ttl' ? session.row.ttlSeconds * 1000 : usedMs
  const lastUseMs = Math.min(clock.lastUseMs(), durationMs)
  const status = isUnclaimed === true ? 'error' : 'destroyed'
  return { status, reason, durationMs, lastUseMs, ...(error === undefined ? {} : { error }) }
}

function messageOf(error: unknown): string {
  return Error.isError(error) ? error.message : String(error)
}

/** Why a browser is gone that nobody has ended, as far as that is known. */
function errorOf(browser: Browser): string | undefined {
  return browser.silentMs() === 0 ? undefined : 'The browser stopped responding and was killed'
}

/** Milliseconds after which whoever found no room should ask again, at most. */
const maxWaitMs = 5000
