import { checkOptions, type OptionNames } from './check-options.ts'
import type { z } from 'zod'
import type { CreateSessionOptions, SessionStatus, SessionSummary } from '../contract/browser.ts'
import type { Routes } from '../contract/routes.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { isBowlineError } from '../kit/errors.ts'
import { deleteSession, deleteSessionIfThere } from './deletion.ts'
import { findDeadLeases, removeLease } from './leases.ts'
import { openSession, type SessionDeps, type SessionTies } from './open-session.ts'
import type { Session } from './session.ts'
import type { EndedBy, SessionBill } from './session-bill.ts'
import { createSessionFiles, type SessionFiles } from './session-files.ts'
import { createSessionRecordings, type SessionRecordings } from './session-recordings.ts'

/** How a session is created. Aborting rejects at once; a session that is still answered is deleted when it comes. */
export interface CreateOptions extends Abortable, SessionTies {}

/** What `reap()` did with the sessions of dead processes. */
export interface ReapReport {
  readonly deleted: readonly string[]
  readonly failed: readonly { readonly id: string; readonly error: unknown }[]
  /** Leases of sessions at other services. */
  readonly skipped: readonly string[]
}

/** Which sessions a list holds. */
export interface SessionFilter {
  /** Default: active and ended ones. */
  readonly status?: SessionStatus
  /** Name or id of a team, or `*` for all teams: admin keys only. Default: the team of the key. */
  readonly team?: string
}

/** The browser sessions of a service. */
export interface Sessions {
  /** Creates a session. Unless `detached`, it ends with this process at the latest. */
  readonly create: (options?: CreateSessionOptions, how?: CreateOptions) => Promise<Session>
  /** Lists sessions, newest first. */
  readonly list: (filter?: SessionFilter, how?: Abortable) => Promise<readonly SessionSummary[]>
  /** Reads one session. Rejects with SESSION_NOT_FOUND. */
  readonly get: (id: string, how?: Abortable) => Promise<z.output<Routes['getSession']['response']>>
  /** The files of any session by its id. Rejects with SESSION_NOT_FOUND. */
  readonly files: (id: string, how?: Abortable) => Promise<SessionFiles>
  /** What was recorded of any session, by its id. */
  readonly recordings: (id: string) => SessionRecordings
  /** Deletes any session by its id. Aborting stops the wait; the deletion goes on. */
  readonly delete: (id: string, how?: Abortable) => Promise<SessionBill>
  /** Deletes the sessions that dead processes of this machine left behind at this service, by their lease files. */
  readonly reap: (how?: Abortable) => Promise<ReapReport>
}

/** Makes the `sessions` of a client; `open` holds those that are not deleted yet. `disposed` aborts when the client is disposed of. */
export function createSessions(deps: SessionDeps, open: Map<string, Session>, disposed: AbortSignal): Sessions {
  return {
    create: async (options = {}, how = {}) => {
      checkOptions('sessions.create()', how, createNames)
      const { signal: given, onEnd, detached } = how
      // A server in this process ends all sessions with itself, and a detached one is meant to stay.
      const isBound = detached !== true && !deps.isEmbedded
      const signals = [given, isBound ? disposed : undefined].filter((each) => each !== undefined)
      const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
      signal?.throwIfAborted()
      const opening = openTracked(deps, open, options, { onEnd, detached })
      try {
        return await abortable(opening, signal)
      } catch (error) {
        if (signal?.aborted === true) void endWhenOpen(opening, isTimeout(signal.reason) ? 'timeout' : 'abort')
        throw error
      }
    },
    list: async (filter = {}, how = {}) => (await deps.call('listSessions', { query: filter }, how)).sessions,
    get: async (id, how = {}) => deps.call('getSession', { params: { id } }, how),
    files: async (id, how = {}) => {
      const { cdpUrl } = await deps.call('getSession', { params: { id } }, how)
      return createSessionFiles(cdpUrl ?? '', deps.config)
    },
    recordings: (id) => createSessionRecordings(deps.call, id, deps.config),
    delete: async (id, how = {}) => {
      checkOptions('sessions.delete()', how, abortableNames)
      const { signal } = how
      signal?.throwIfAborted()
      const own = open.get(id)
      if (own !== undefined) return own.end({ signal })
      const figures = await abortable(deleteSession(deps.call, id), signal)
      return { sessionId: id, endedBy: 'end', ...figures }
    },
    reap: async (how = {}) => {
      checkOptions('sessions.reap()', how, abortableNames)
      return reap(deps, how.signal)
    },
  }
}

const abortableNames: OptionNames<Abortable> = { signal: true }

const createNames: OptionNames<CreateOptions> = { signal: true, onEnd: true, onDetached: true, detached: true }

async function openTracked(
  deps: SessionDeps,
  open: Map<string, Session>,
  options: CreateSessionOptions,
  ties: SessionTies,
): Promise<Session> {
  const onEnd = (bill: SessionBill): void => {
    open.delete(bill.sessionId)
    ties.onEnd?.(bill)
  }
  const session = await openSession(deps, options, {
    ...ties,
    onEnd,
    onDetached: (id) => open.delete(id),
  })
  if (ties.detached !== true) open.set(session.id, session)
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
