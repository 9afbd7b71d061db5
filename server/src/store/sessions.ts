import { sql, type Kysely, type Selectable } from 'kysely'
import type { SessionStatus } from 'bowline/contract/browser'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'
import { toRow, type Row } from './row.ts'
import type { Database } from './schema.ts'
import type { SessionTable } from './tables/sessions.ts'
import {
  admitStatement,
  endStatement,
  idempotencyStatement,
  type NewSessionRow,
  type SessionOutcome,
} from './session-statements.ts'
import { findTeam } from './teams.ts'

/** An active or ended session. */
export type SessionRow = Row<Selectable<SessionTable>>

/** Result of `admitSession`. */
export type Admission =
  | { readonly outcome: 'admitted'; readonly session: SessionRow }
  | { readonly outcome: 'repeated'; readonly session: SessionRow }
  | { readonly outcome: 'insufficient-credits'; readonly available: number }
  | { readonly outcome: 'team-limit'; readonly limit: number; readonly active: number }

/** Result of `endSession`. */
export interface EndedSession {
  /** Whether this call ended the session. */
  readonly ended: boolean
  readonly session: SessionRow
}

/**
 * Admits a session if its team has enough credits and a free slot, and reserves both in one
 * statement, so that concurrent requests cannot exceed the team's limits.
 */
export async function admitSession(db: Kysely<Database>, wanted: NewSessionRow): Promise<Admission> {
  // A slot may become free between the two queries. In that case, try again.
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const session = await tryAdmit(db, wanted)
    if (session !== undefined) return { outcome: 'admitted', session }
    const refusal = await explainRefusal(db, wanted)
    if (refusal !== undefined) return refusal
  }
  throw new BowlineError('CONCURRENCY_LIMIT', 'Too many sessions are being created at once', { retryAfterSeconds: 1 })
}

/**
 * Ends a session, bills it and releases the team's reservation and slot in one statement.
 * Idempotent: later calls return the first end. Returns `undefined` if the session does not exist.
 */
export async function endSession(db: Kysely<Database>, ending: SessionOutcome): Promise<EndedSession | undefined> {
  const row = await endStatement(db, ending).executeTakeFirst()
  if (row !== undefined) return { ended: true, session: toRow(row) }
  const session = await findSession(db, ending.id)
  return session && { ended: false, session }
}

/** Returns the session of a team with this idempotency key, or `undefined`. */
export async function findByIdempotencyKey(
  db: Kysely<Database>,
  teamId: string,
  idempotencyKey: string | undefined,
): Promise<SessionRow | undefined> {
  const row = await idempotencyStatement(db, teamId, idempotencyKey).executeTakeFirst()
  return row && toRow(row)
}

/** Returns the session with this id, or `undefined`. */
export async function findSession(db: Kysely<Database>, id: string): Promise<SessionRow | undefined> {
  const row = await db.selectFrom('session').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRow(row)
}

/** Returns the session with this id. Throws SESSION_NOT_FOUND, also for malformed ids. */
export async function getSession(db: Kysely<Database>, id: string): Promise<SessionRow> {
  const row = isUuid(id) ? await findSession(db, id) : undefined
  if (row === undefined) throw sessionNotFound()
  return row
}

/**
 * Returns a session of a team. Throws SESSION_NOT_FOUND, also for sessions of other teams, so as
 * not to reveal them.
 */
export async function getTeamSession(db: Kysely<Database>, id: string, teamId: string): Promise<SessionRow> {
  const row = await getSession(db, id)
  if (row.teamId !== teamId) throw sessionNotFound()
  return row
}

/** Creates the error for an unknown session, or one that the caller must not know about. */
export function sessionNotFound(): BowlineError {
  return new BowlineError('SESSION_NOT_FOUND', 'Browser session not found.')
}

/** Lists sessions, newest first. */
export async function listSessions(
  db: Kysely<Database>,
  filter: {
    /** Default: sessions of all teams. */
    readonly teamId?: string | undefined
    readonly status?: SessionStatus | undefined
    /** Maximum number of sessions. */
    readonly limit: number
  },
): Promise<readonly SessionRow[]> {
  let query = db.selectFrom('session').selectAll()
  if (filter.teamId !== undefined) query = query.where('teamId', '=', filter.teamId)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(filter.limit).execute()
  return rows.map(toRow)
}

/** Lists the active sessions of a node, including those it had when it died. */
export async function activeSessionsOfNode(db: Kysely<Database>, nodeId: string): Promise<readonly SessionRow[]> {
  const rows = await db
    .selectFrom('session')
    .selectAll()
    .where('nodeId', '=', nodeId)
    .where('status', '=', 'active')
    .orderBy('createdAt')
    .execute()
  return rows.map(toRow)
}

/** Returns the ids of a node's active sessions whose API key has been revoked. */
export async function sessionsOfRevokedKeys(db: Kysely<Database>, nodeId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('session')
    .innerJoin('apiKey', 'apiKey.id', 'session.apiKeyId')
    .select('session.id')
    .where('session.nodeId', '=', nodeId)
    .where('session.status', '=', 'active')
    .where('apiKey.revokedAt', 'is not', null)
    .execute()
  return rows.map(({ id }) => id)
}

/** Updates the last activity of active sessions in one statement. Times never move backwards. */
export async function recordActivity(
  db: Kysely<Database>,
  used: readonly { readonly id: string; readonly lastActivityAt: Date }[],
): Promise<void> {
  if (used.length === 0) return
  const rows = JSON.stringify(used.map(({ id, lastActivityAt }) => ({ id, at: lastActivityAt })))
  await sql`
    update session set last_activity_at = greatest(session.last_activity_at, used.at)
    from json_to_recordset(${rows}::json) as used (id uuid, at timestamptz)
    where session.id = used.id and session.status = 'active'`.execute(db)
}

/**
 * Records a profile version that was saved after the end of a session, and clears the profile
 * error.
 */
export async function recordSavedProfile(db: Kysely<Database>, id: string, version: number): Promise<void> {
  await db
    .updateTable('session')
    .set({ profileVersion: version, profileError: null })
    .where('id', '=', id)
    .where('status', '<>', 'active')
    .execute()
}

async function tryAdmit(db: Kysely<Database>, wanted: NewSessionRow): Promise<SessionRow | undefined> {
  try {
    const row = await admitStatement(db, wanted).executeTakeFirst()
    return row && toRow(row)
  } catch (error) {
    // A concurrent request with the same idempotency key won, and this statement was rolled back.
    if (isIdempotencyConflict(error)) return undefined
    throw error
  }
}

function isIdempotencyConflict(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'session_idempotency_key'
}

async function explainRefusal(db: Kysely<Database>, wanted: NewSessionRow): Promise<Admission | undefined> {
  const existing = await findByIdempotencyKey(db, wanted.teamId, wanted.idempotencyKey)
  if (existing !== undefined) return { outcome: 'repeated', session: existing }
  const team = await findTeam(db, wanted.teamId)
  if (team === undefined) throw new BowlineError('FORBIDDEN', `Team ${wanted.teamId} not found`)
  const { credits, reservedCredits, maxConcurrency, activeSessions, activeScrapes } = team
  if (credits !== undefined && credits - reservedCredits < wanted.reservedCredits) {
    return { outcome: 'insufficient-credits', available: credits - reservedCredits }
  }
  const active = activeSessions + activeScrapes
  if (maxConcurrency !== undefined && active >= maxConcurrency) {
    return { outcome: 'team-limit', limit: maxConcurrency, active }
  }
  return undefined
}
