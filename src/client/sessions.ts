import { checkOptions, type OptionNames } from './check-options.ts'
import type { z } from 'zod'
import type { CreateSessionOptions, SessionStatus, SessionSummary } from '../contract/browser.ts'
import type { Routes } from '../contract/routes.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { isBowlineError } from '../kit/errors.ts'
import { deleteSession, deleteSessionIfThere } from './deletion.ts'
import { findDeadLeases, removeLease } from './leases.ts'
import { endsWithProcess, openSession, type SessionDeps, type SessionLifetimeOptions } from './open-session.ts'
import type { Session } from './session.ts'
import type { EndedBy, SessionBill } from './session-bill.ts'
import { createSessionFiles, type SessionFiles } from './session-files.ts'
import { createSessionRecordings, type SessionRecordings } from './session-recordings.ts'

/**
 * Client-side options of `sessions.create()`. Aborting rejects at once; a session that is created
 * afterwards is deleted.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * await using session = await bowline.sessions.create(
 *   { ttl: 60 },
 *   { onEnd: ({ endedBy, creditsBilled }) => console.log(endedBy, creditsBilled) },
 * )
 * console.log(session.cdpUrl)
 * ```
 */
export interface CreateOptions extends Abortable, SessionLifetimeOptions {}

/** Result of `sessions.reap()`: ids of sessions of dead processes. */
export interface ReapReport {
  readonly deleted: readonly string[]
  readonly failed: readonly { readonly id: string; readonly error: unknown }[]
  /** Sessions of other services, which this client cannot delete. */
  readonly skipped: readonly string[]
}

/** Filter of `sessions.list()`. */
export interface SessionFilter {
  /** Only sessions with this status. Default: all. */
  readonly status?: SessionStatus
  /**
   * Name or id of a team, or `*` for all teams. Requires an admin key. Default: the team of the API
   * key.
   */
  readonly team?: string
}

/**
 * Creates, lists and deletes browser sessions.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const session = await bowline.sessions.create({ ttl: 60, profile: { name: 'shop' } })
 * console.log((await bowline.sessions.list({ status: 'active' })).length)
 * await bowline.sessions.delete(session.id)
 * const { deleted } = await bowline.sessions.reap()
 * console.log(deleted)
 * ```
 */
export interface Sessions {
  /**
   * Creates a session. It is deleted when this process ends, unless it is `detached`. Rejects with
   * CONCURRENCY_LIMIT if the server or team is at its limit, and with PROFILE_LOCKED if another
   * session writes the profile.
   */
  readonly create: (options?: CreateSessionOptions, requestOptions?: CreateOptions) => Promise<Session>
  /** Lists sessions, newest first. */
  readonly list: (filter?: SessionFilter, requestOptions?: Abortable) => Promise<readonly SessionSummary[]>
  /** Returns a session by its id. Rejects with SESSION_NOT_FOUND. */
  readonly get: (id: string, requestOptions?: Abortable) => Promise<z.output<Routes['getSession']['response']>>
  /** Returns the files of any session by its id. Rejects with SESSION_NOT_FOUND. */
  readonly files: (id: string, requestOptions?: Abortable) => Promise<SessionFiles>
  /** Returns the recordings of any session by its id. */
  readonly recordings: (id: string) => SessionRecordings
  /**
   * Deletes any session by its id. Rejects with SESSION_NOT_FOUND. Aborting stops the wait; the
   * deletion continues.
   */
  readonly delete: (id: string, requestOptions?: Abortable) => Promise<SessionBill>
  /**
   * Deletes the sessions of this service that killed processes of this machine left behind, found
   * by their lease files.
   */
  readonly reap: (requestOptions?: Abortable) => Promise<ReapReport>
}

/**
 * Creates `bowline.sessions`. `open` holds the sessions that are not deleted yet. `disposed` aborts
 * when the client is disposed of.
 */
export function createSessions(deps: SessionDeps, open: Map<string, Session>, disposed: AbortSignal): Sessions {
  return {
    create: async (options = {}, requestOptions = {}) => {
      checkOptions('sessions.create()', requestOptions, createNames)
      const { signal: given, ...lifetime } = requestOptions
      // Disposal need not abort here: an embedded server ends all sessions itself, and detached
      // ones stay.
      const signals = [given, endsWithProcess(deps, lifetime) ? disposed : undefined].filter(
        (each) => each !== undefined,
      )
      const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
      signal?.throwIfAborted()
      const opening = openTracked(deps, open, options, lifetime)
      try {
        return await abortable(opening, signal)
      } catch (error) {
        if (signal?.aborted === true) void endWhenOpen(opening, isTimeout(signal.reason) ? 'timeout' : 'abort')
        throw error
      }
    },
    list: async (filter = {}, requestOptions = {}) =>
      (await deps.call('listSessions', { query: filter }, requestOptions)).sessions,
    get: async (id, requestOptions = {}) => deps.call('getSession', { params: { id } }, requestOptions),
    files: async (id, requestOptions = {}) => {
      const { cdpUrl } = await deps.call('getSession', { params: { id } }, requestOptions)
      return createSessionFiles(cdpUrl ?? '', deps.config)
    },
    recordings: (id) => createSessionRecordings(deps.call, id, deps.config),
    delete: async (id, requestOptions = {}) => {
      checkOptions('sessions.delete()', requestOptions, abortableNames)
      const { signal } = requestOptions
      signal?.throwIfAborted()
      const own = open.get(id)
      if (own !== undefined) return own.end({ signal })
      const billFields = await abortable(deleteSession(deps.call, id), signal)
      return { sessionId: id, endedBy: 'end', ...billFields }
    },
    reap: async (requestOptions = {}) => {
      checkOptions('sessions.reap()', requestOptions, abortableNames)
      return reap(deps, requestOptions.signal)
    },
  }
}

const abortableNames: OptionNames<Abortable> = { signal: true }

const createNames: OptionNames<CreateOptions> = { signal: true, onEnd: true, onDetached: true, detached: true }

async function openTracked(
  deps: SessionDeps,
  open: Map<string, Session>,
  options: CreateSessionOptions,
  lifetime: SessionLifetimeOptions,
): Promise<Session> {
  const onEnd = (bill: SessionBill): void => {
    open.delete(bill.sessionId)
    lifetime.onEnd?.(bill)
  }
  const onDetached = (id: string): void => {
    open.delete(id)
    lifetime.onDetached?.(id)
  }
  const session = await openSession(deps, options, { ...lifetime, onEnd, onDetached })
  if (lifetime.detached !== true) open.set(session.id, session)
  return session
}

function isTimeout(reason: unknown): boolean {
  return isBowlineError(reason) && reason.code === 'TIMEOUT'
}

async function endWhenOpen(opening: Promise<Session>, endedBy: EndedBy): Promise<void> {
  const session = await opening.catch(() => undefined)
  await session?.end({ endedBy }).catch((error: unknown) => {
    process.emitWarning(isBowlineError(error) ? error.toLine() : String(error), { code: 'BOWLINE_DELETE_FAILED' })
  })
}

async function reap({ call, config }: SessionDeps, signal: AbortSignal | undefined): Promise<ReapReport> {
  const report = { deleted: [] as string[], failed: [] as { id: string; error: unknown }[], skipped: [] as string[] }
  for (const { path, lease } of await findDeadLeases(config.leaseDir)) {
    signal?.throwIfAborted()
    if (lease.baseUrl !== config.baseUrl) {
      report.skipped.push(lease.sessionId)
      continue
    }
    try {
      await abortable(deleteSessionIfThere(call, lease.sessionId), signal)
      removeLease(path)
      report.deleted.push(lease.sessionId)
    } catch (error) {
      signal?.throwIfAborted()
      report.failed.push({ id: lease.sessionId, error })
    }
  }
  return report
}
