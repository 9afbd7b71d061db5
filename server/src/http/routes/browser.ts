import { deleteSessionResponse, everyTeam, type DeleteSessionRequest } from 'bowline/contract/browser'
import type { Routes } from 'bowline/contract/routes'
import { BowlineError } from 'bowline/kit/errors'
import { readCursor, writeCursor } from '../../kit/page-cursor.ts'
import { requestPeer } from '../../cluster/relay.ts'
import type { AuditLog } from '../../audit/audit-log.ts'
import { callerOf } from '../audit-caller.ts'
import { cannotChangeEnded } from '../../sessions/update-session.ts'
import { listSessions } from '../../sessions/list-sessions.ts'
import { readOptions } from '../../sessions/session-options.ts'
import { findByIdempotencyKey, getSession } from '../../sessions/session-queries.ts'
import type { OnUnreadable } from '../../store/tables/json-table.ts'
import type { SessionRow } from '../../store/tables/sessions.ts'
import type { KeyRow } from '../../teams/key-queries.ts'
import { listTeams } from '../../teams/team-queries.ts'
import { SessionCreator, type SessionCreatorDeps } from '../create-session.ts'
import { peerOfRow, type SessionNodeDeps } from '../session-node.ts'
import { sessionBill, sessionSummary } from '../session-summary.ts'
import { assertTtl } from '../assert-ttl.ts'
import type { Call, Handler, Handlers, Input } from '../register.ts'

/** Handlers of browser sessions. Other routes reuse the one that ends a session. */
type BrowserHandlers = Handlers & { readonly deleteSession: Handler<'deleteSession'> }

/** Dependencies of the routes of sessions. */
export interface BrowserRouteDeps extends SessionCreatorDeps {
  readonly audit: Pick<AuditLog, 'record'>
}

/** Routes of browser sessions. */
export function browserHandlers(deps: BrowserRouteDeps): BrowserHandlers {
  const creator = new SessionCreator(deps)
  const onUnreadable: OnUnreadable = (error) => deps.onError(error, 'reading a session')
  const summaryDeps = { sessions: deps.sessions, onUnreadable }

  /**
   * Ends a session on its node. Returns `undefined` if that is this node, or if the session has
   * ended.
   */
  const endElsewhere = async (row: SessionRow, hasFailed: boolean, call: Call) => {
    try {
      const peer = await peerOfRow(deps, row, call.raw.raw)
      if (peer === undefined) return undefined
      return deleteSessionResponse.parse(await requestPeer(peer, call.raw.raw, { id: row.id, failed: hasFailed }))
    } catch (error) {
      // Other nodes end the sessions of a node that stops responding.
      const { status } = await getSession(deps.store.db, row.id)
      if (status === 'active') throw error
      return undefined
    }
  }

  const end = async (id: string, hasFailed: boolean, call: Call) => {
    const row = await visibleSession(deps, id, call.key)
    const elsewhere = await endElsewhere(row, hasFailed, call)
    if (elsewhere !== undefined) return elsewhere
    if (creator.endUnclaimed(id, call)) return { success: true as const, cleanupQueued: true }
    const ended = row.status === 'active' ? await deps.sessions.end(row.id, 'deleted', { hasFailed }) : row
    if (row.status === 'active' && ended !== undefined) await auditForeignDeletion(deps.audit, row, call)
    const bill = ended ?? (await visibleSession(deps, id, call.key))
    return { success: true as const, ...sessionBill(bill, onUnreadable), cleanupQueued: true }
  }

  return {
    createSession: async ({ body, query }, call) => creator.create(body, query.wait, call),
    listSessions: async ({ query }, call) =>
      listPage(deps, query, call, (row, team) => sessionSummary(row, summaryDeps, call, team)),
    getSession: async ({ params }, call) => {
      const row = await visibleSession(deps, params.id, call.key)
      const options = row.teamId === call.key.teamId ? readOptions(row, onUnreadable) : undefined
      return { success: true, ...sessionSummary(row, summaryDeps, call), ...options }
    },
    updateSession: async ({ params, body }, call) => ({
      success: true,
      ...sessionSummary(await updateOwnSession(deps, params.id, body, call.key), summaryDeps, call),
    }),
    deleteSession: async ({ params, query }, call) => end(params.id, query.failed === 'true', call),
    deleteSessionByBody: async ({ body }, call) => end(await idOf(deps, body, call), body.failed === true, call),
  }
}

/** Lists a page of the sessions that the caller may see. */
async function listPage(
  deps: Pick<SessionCreatorDeps, 'store'>,
  { team, from, to, cursor, limit, ...filter }: Input<Routes['listSessions']>['query'],
  call: Call,
  summarize: (row: SessionRow, teamName: string | undefined) => ReturnType<typeof sessionSummary>,
) {
  const teams = await teamsToList(deps, team, call.key)
  const rows = await listSessions(deps.store.db, {
    ...filter,
    teamId: teams.size === 1 ? [...teams.keys()][0] : undefined,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
    after: readCursor(cursor),
    // One extra row shows whether there is a next page.
    limit: limit + 1,
  })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    success: true as const,
    sessions: shown.map((row) => summarize(row, team === undefined ? undefined : teams.get(row.teamId))),
    ...(last === undefined ? {} : { cursor: writeCursor(last) }),
  }
}

/**
 * Reads a session that the caller may see. Throws SESSION_NOT_FOUND, and FORBIDDEN for a session of
 * another team. The API defines 403 for reading and deleting a session by its id, and its clients
 * rely on it: an id has 74 random bits and grants no access. All other routes of a session (files,
 * recordings, CDP, live view) respond with 404, as for an unknown id.
 */
async function visibleSession({ store }: Pick<SessionNodeDeps, 'store'>, id: string, key: KeyRow): Promise<SessionRow> {
  const row = await getSession(store.db, id)
  // An admin key may read and end sessions of every team, but not access their content.
  if (row.teamId !== key.teamId && key.role !== 'admin') throw new BowlineError('FORBIDDEN', 'Forbidden.')
  return row
}

/**
 * Changes an active session of the caller's team, which runs on this node. Throws
 * SESSION_NOT_FOUND, FORBIDDEN, SESSION_ENDED, BAD_REQUEST or INSUFFICIENT_CREDITS.
 */
async function updateOwnSession(
  deps: SessionCreatorDeps,
  id: string,
  { ttl, activityTtl, name, metadata }: Input<Routes['updateSession']>['body'],
  key: KeyRow,
): Promise<SessionRow> {
  const row = await visibleSession(deps, id, key)
  // An extension is paid by the team of the session.
  if (row.teamId !== key.teamId) throw new BowlineError('FORBIDDEN', 'Forbidden.')
  await deps.sessions.whenStarted(id)
  const live = deps.sessions.find(id)
  if (live === undefined) throw cannotChangeEnded(id)
  const ttlSeconds = ttl === undefined ? undefined : Math.ceil(live.ageMs() / 1000) + ttl
  if (ttlSeconds !== undefined) assertTtl(ttlSeconds, deps.maxTtlSeconds)
  const updated = await deps.sessions.update(id, { ttlSeconds, activityTtlSeconds: activityTtl, name, metadata })
  if (updated === undefined) throw cannotChangeEnded(id)
  return updated
}

/**
 * Returns the id of the session created with an idempotency key, for clients that never received
 * the response.
 */
async function idOf(
  { store }: Pick<SessionNodeDeps, 'store'>,
  { id, idempotencyKey }: DeleteSessionRequest,
  { key }: Call,
): Promise<string> {
  const found = id ?? (await findByIdempotencyKey(store.db, key.teamId, idempotencyKey))?.id
  if (found === undefined) throw new BowlineError('SESSION_NOT_FOUND', 'No session was created with this key.')
  return found
}

/** Records in the audit log that an admin key has ended a session of another team. */
async function auditForeignDeletion(
  audit: BrowserRouteDeps['audit'],
  { id: sessionId, teamId }: SessionRow,
  call: Call,
): Promise<void> {
  if (teamId === call.key.teamId) return
  const message = 'Session of another team deleted'
  await audit.record({ action: 'session.deleted', message, teamId, details: { sessionId }, by: callerOf(call) })
}

/**
 * Returns the names of the teams to list sessions of, by id: one team or all. Throws FORBIDDEN or
 * TEAM_NOT_FOUND.
 */
async function teamsToList(
  { store }: Pick<SessionNodeDeps, 'store'>,
  requestedTeam: string | undefined,
  key: KeyRow,
): Promise<ReadonlyMap<string, string>> {
  if (requestedTeam === undefined || requestedTeam === key.teamName) return new Map([[key.teamId, key.teamName]])
  if (key.role !== 'admin')
    throw new BowlineError('FORBIDDEN', 'Only an admin key may list the sessions of other teams')
  const teams = await listTeams(store.db)
  const listed =
    requestedTeam === everyTeam ? teams : teams.filter(({ id, name }) => name === requestedTeam || id === requestedTeam)
  if (listed.length === 0) throw new BowlineError('TEAM_NOT_FOUND', `Team ${JSON.stringify(requestedTeam)} not found`)
  return new Map(listed.map(({ id, name }) => [id, name]))
}
