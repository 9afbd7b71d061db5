import type { ExecuteResponse } from 'bowline/contract/execute'
import type { CreateSessionResponse, EndReason, SessionSummary } from 'bowline/contract/browser'
import type { CreateSessionOptions } from 'bowline/contract/session-options'
import type { RouteInput } from 'bowline/contract/route-types'
import type { Api } from '../api/api.ts'
import type { TimeSpan } from '../components/time-span.ts'
import type { PageOfRows } from '../frame/use-pages.ts'

/** Lists the live sessions, newest first. Does not count as activity. */
export async function listLive(api: Api, signal?: AbortSignal): Promise<readonly SessionSummary[]> {
  return listSessions(api, { status: 'active' }, signal)
}

const endedPageSize = 20

interface EndedFilter {
  /** Empty for all reasons. */
  readonly reason: string
  /** Name of a profile. Empty for all sessions. */
  readonly profile: string
  /** Id of an API key. Empty for all keys. */
  readonly key: string
  /** Empty for all sessions. */
  readonly search: string
  /** Time of the creation. */
  readonly span: TimeSpan
  readonly cursor: string | undefined
}

/** Reads a page of the ended sessions, newest first. */
export async function listEnded(
  api: Api,
  { reason, profile, key, search, span, cursor }: EndedFilter,
  signal?: AbortSignal,
): Promise<PageOfRows<SessionSummary>> {
  const query = {
    status: 'ended',
    endReason: reason === '' ? undefined : (reason as EndReason),
    profile: profile === '' ? undefined : profile,
    key: key === '' ? undefined : key,
    search: search === '' ? undefined : search,
    ...span,
    cursor,
    limit: endedPageSize,
  } as const
  const page = await api.call('listSessions', { query }, signal)
  return { rows: page.sessions, cursor: page.cursor ?? null }
}

async function listSessions(
  api: Api,
  query: RouteInput<'listSessions'>['query'],
  signal?: AbortSignal,
): Promise<readonly SessionSummary[]> {
  return (await api.call('listSessions', { query }, signal)).sessions
}

/** A session with its options. */
export interface SessionDetails extends SessionSummary {
  /** Without secrets. `undefined` if the server has not stored them. */
  readonly options: Partial<CreateSessionOptions> | undefined
  /** Options that are not stored, because they can contain secrets. */
  readonly omittedOptions: readonly string[] | undefined
}

/** Reads a session. Does not count as activity. */
export async function findSession(api: Api, id: string, signal?: AbortSignal): Promise<SessionDetails> {
  const { options, omittedOptions, ...session } = await api.call('getSession', { params: { id } }, signal)
  return { ...session, options, omittedOptions }
}

/**
 * Whether the id, name, profile or metadata (as `key=value`) of a session contain the text of the
 * filter.
 */
export function matches({ id, name, metadata = {}, profile }: SessionSummary, filter: string): boolean {
  const labels = Object.entries(metadata).map(([key, value]) => `${key}=${value}`)
  const wanted = filter.trim().toLowerCase()
  return [id, name ?? '', profile?.name ?? '', ...labels].some((text) => text.toLowerCase().includes(wanted))
}

/** Lets a session end some minutes later than it would. */
export async function extendSession(api: Api, { id, expiresAt }: SessionSummary, minutes: number): Promise<unknown> {
  const leftMs = Math.max(0, Date.parse(expiresAt ?? '') - Date.now()) || 0
  const ttl = Math.ceil(leftMs / 1000) + minutes * 60
  return api.call('updateSession', { params: { id }, body: { ttl } })
}

/** Runs code in a session. */
export async function executeCode(api: Api, id: string, body: RouteInput<'execute'>['body']): Promise<ExecuteResponse> {
  return api.call('execute', { params: { id }, body })
}

/** Ends a session. */
export async function endSession(api: Api, id: string): Promise<unknown> {
  return api.call('deleteSession', { params: { id }, query: {} })
}

/** Starts a session. */
export async function createSession(api: Api, options: CreateSessionOptions): Promise<CreateSessionResponse> {
  return api.call('createSession', { query: {}, body: options })
}
