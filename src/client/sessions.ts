import { checkIsObject, checkOptions, type OptionNames } from './check-options.ts'
import type { z } from 'zod'
import type { Document } from '../contract/document.ts'
import type { SessionScrapeInput } from '../contract/session-scrape.ts'
import type { EndReason, ListedStatus, SessionSummary } from '../contract/browser.ts'
import type { CreateSessionOptions, UpdateSessionOptions } from '../contract/session-options.ts'
import type { Routes } from '../contract/routes.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { deleteSession } from './deletion.ts'
import type { CreateOptions, SessionDeps, SessionOpener } from './open-session.ts'
import { handOff, type HandoffOptions, type HandoffResult } from './handoff.ts'
import { reapSessions, type ReapReport } from './reap-sessions.ts'
import type { Session, SessionBill } from './session.ts'
import { execute, type ExecuteOptions, type ExecuteResult } from './execute.ts'
import { scrapeSession } from './scraping.ts'
import { createSessionFiles, type SessionFiles } from './session-files.ts'
import { createSessionRecordings, type SessionRecordings } from './session-recordings.ts'

/** Filter of `sessions.list()`. */
export interface SessionFilter {
  /** Only sessions with this status; `ended` is any but `active`. Default: all. */
  readonly status?: ListedStatus
  /** Only sessions that ended for this reason. Default: all. */
  readonly endReason?: EndReason | undefined
  /** Only sessions with this profile. Default: all. */
  readonly profile?: string | undefined
  /** Only sessions that were created with the API key of this name or id. Default: all. */
  readonly key?: string | undefined
  /**
   * Only sessions whose id starts with this text, or whose name, profile or metadata contain it.
   * Default: all.
   */
  readonly search?: string | undefined
  /** Only sessions that were created at this time or later, as ISO 8601. Default: all. */
  readonly from?: string | undefined
  /** Only sessions that were created before this time, as ISO 8601. Default: all. */
  readonly to?: string | undefined
  /** Maximum number of sessions, 1 to 1000. Default: 1000. */
  readonly limit?: number | undefined
  /** Only sessions with exactly this name. Default: all. */
  readonly name?: string | undefined
  /** Only sessions whose metadata contains all of these values. Default: all. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
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
 * const session = await bowline.sessions.create({ ttl: 60, profile: { name: 'orders' } })
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
   * session writes the profile, both after `wait` seconds in the queue of the server.
   */
  readonly create: (options?: CreateSessionOptions, requestOptions?: CreateOptions) => Promise<Session>
  /** Lists sessions, newest first. */
  readonly list: (filter?: SessionFilter, requestOptions?: Abortable) => Promise<readonly SessionSummary[]>
  /** Returns a session by its id. Rejects with SESSION_NOT_FOUND. */
  readonly get: (id: string, requestOptions?: Abortable) => Promise<z.output<Routes['getSession']['response']>>
  /**
   * Changes the lifetime, the name or the metadata of any active session by its id. `ttl` counts
   * from now. Rejects with SESSION_NOT_FOUND, SESSION_ENDED and INSUFFICIENT_CREDITS.
   */
  readonly update: (id: string, changes: UpdateSessionOptions, requestOptions?: Abortable) => Promise<SessionSummary>
  /** Returns the files of any session by its id. Rejects with SESSION_NOT_FOUND. */
  readonly files: (id: string, requestOptions?: Abortable) => Promise<SessionFiles>
  /**
   * Scrapes the page of any session by its id, as `session.scrape()` does. Rejects with
   * SESSION_NOT_FOUND.
   */
  readonly scrape: (id: string, options?: SessionScrapeInput, requestOptions?: Abortable) => Promise<Document>
  /**
   * Runs code in any session by its id, as `session.execute()` does. Rejects with
   * SESSION_NOT_FOUND.
   */
  readonly execute: (id: string, code: string, options?: ExecuteOptions) => Promise<ExecuteResult>
  /**
   * Hands a page of any session by its id to a human, as `session.handoff()` does. Rejects with
   * SESSION_NOT_FOUND and SESSION_ENDED.
   */
  readonly handoff: (id: string, options: HandoffOptions) => Promise<HandoffResult>
  /** Returns the recordings of any session by its id. */
  readonly recordings: (id: string) => SessionRecordings
  /**
   * Deletes any session by its id. Rejects with SESSION_NOT_FOUND. Aborting stops the wait; the
   * deletion continues.
   */
  readonly delete: (id: string, requestOptions?: Abortable) => Promise<SessionBill>
  /**
   * Deletes the sessions of this service that were left behind by killed processes on this machine.
   * Finds them by their session markers.
   */
  readonly reap: (requestOptions?: Abortable) => Promise<ReapReport>
}

/** Creates `bowline.sessions`. */
export function createSessions(deps: SessionDeps, opener: SessionOpener): Sessions {
  const { call, config } = deps
  return {
    create: async (options = {}, requestOptions = {}) => {
      checkIsObject('sessions.create()', options)
      checkOptions('sessions.create()', requestOptions, createNames)
      return opener.open(options, requestOptions)
    },
    list: async (filter = {}, requestOptions = {}) =>
      (await call('listSessions', { query: filter }, requestOptions)).sessions,
    get: async (id, requestOptions = {}) => call('getSession', { params: { id } }, requestOptions),
    update: async (id, changes, requestOptions = {}) =>
      opener.find(id)?.update(changes, requestOptions) ??
      call('updateSession', { params: { id }, body: changes }, requestOptions),
    files: async (id, requestOptions = {}) => {
      const { cdpUrl } = await call('getSession', { params: { id } }, requestOptions)
      return createSessionFiles(cdpUrl ?? '', config)
    },
    scrape: async (id, options, requestOptions) => scrapeSession(call, id, options, requestOptions),
    execute: async (id, code, options) => execute(call, id, code, options),
    handoff: async (id, options) => handOff(call, id, options),
    recordings: (id) => createSessionRecordings(call, id, config),
    delete: async (id, requestOptions = {}) => {
      checkOptions('sessions.delete()', requestOptions, abortableNames)
      const { signal } = requestOptions
      signal?.throwIfAborted()
      const own = opener.find(id)
      if (own !== undefined) return own.end({ signal })
      const billFields = await abortable(deleteSession(call, id), signal)
      return { sessionId: id, endedBy: 'end', ...billFields }
    },
    reap: async (requestOptions = {}) => {
      checkOptions('sessions.reap()', requestOptions, abortableNames)
      return reapSessions(deps, requestOptions.signal)
    },
  }
}

const abortableNames: OptionNames<Abortable> = { signal: true }

const createNames: OptionNames<CreateOptions> = {
  signal: true,
  onEnd: true,
  onDetached: true,
  detached: true,
  onQueued: true,
}
