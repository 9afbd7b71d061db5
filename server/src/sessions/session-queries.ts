import { sql, type Kysely, type Transaction } from 'kysely'
import type { EndReason } from 'bowline/contract/browser'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'
import type { JsonText } from '../store/tables/columns.ts'
import { toRow } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import type { OnBrowserClose, SessionRow } from '../store/tables/sessions.ts'

/** A session to admit. It is created now and expires after its TTL, by the database's clock. */
export interface NewSessionRow {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly nodeId: string
  readonly name?: string | undefined
  readonly metadata?: JsonText | undefined
  readonly webhook?: JsonText | undefined
  readonly ttlSeconds: number
  readonly activityTtlSeconds: number
  readonly streamWebView: boolean
  readonly onBrowserClose: OnBrowserClose
  readonly profileName?: string | undefined
  readonly profileSave?: boolean | undefined
  /** Version that the session loads. 0: none is saved. */
  readonly profileLoaded?: number | undefined
  /** Whether files are stored beyond the end of the session. Default: false. */
  readonly keepFiles?: boolean | undefined
  /** Recording options. Default: no recordings. */
  readonly record?: JsonText | undefined
  /** Options without secrets. Default: unknown. */
  readonly options?: JsonText | undefined
  readonly secret: string
  /** Credits of its hold, which lasts until its end, when its price is known. */
  readonly reservedCredits: number
  /** A second request of the team with this key returns the first session. */
  readonly idempotencyKey?: string | undefined
  readonly requestHash?: string | undefined
}

/**
 * Inserts an active session. Returns `undefined` if the team already has one with this idempotency
 * key.
 */
export async function insertSession(db: Kysely<Database>, wanted: NewSessionRow): Promise<SessionRow | undefined> {
  const now = sql<Date>`date_trunc('milliseconds', now())`
  const row = await db
    .insertInto('session')
    .values({
      ...wanted,
      status: 'active',
      createdAt: now,
      lastActivityAt: now,
      expiresAt: sql<Date>`${now} + make_interval(secs => ${wanted.ttlSeconds}::double precision)`,
    })
    .onConflict((conflict) =>
      conflict.columns(['teamId', 'idempotencyKey']).where('idempotencyKey', 'is not', null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
  return row && toRow(row)
}

/** Locks an active session until the transaction ends. Returns `undefined` if it is not active. */
export async function lockActiveSession(db: Transaction<Database>, id: string): Promise<SessionRow | undefined> {
  const row = await db
    .selectFrom('session')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'active')
    .forUpdate()
    .executeTakeFirst()
  return row && toRow(row)
}

/** Fields of a session that can change while it is active. `undefined` clears a field. */
export type ChangedSession = Pick<
  SessionRow,
  'ttlSeconds' | 'activityTtlSeconds' | 'reservedCredits' | 'isPrompted' | 'name' | 'metadata'
>

/** Changes a session. Its lifetime counts from its creation. */
export async function changeSession(db: Kysely<Database>, id: string, changed: ChangedSession): Promise<SessionRow> {
  const row = await db
    .updateTable('session')
    .set({
      ...changed,
      name: changed.name ?? null,
      metadata: changed.metadata ?? null,
      expiresAt: sql<Date>`created_at + make_interval(secs => ${changed.ttlSeconds}::double precision)`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toRow(row)
}

/** End of a session and its price. */
export interface SessionOutcome {
  readonly id: string
  readonly reason: EndReason
  readonly status: 'destroyed' | 'error'
  readonly endedAt: Date
  /** Time of the last use. Default: unchanged. */
  readonly lastActivityAt?: Date | undefined
  readonly durationMs: number
  readonly credits: number
  readonly error?: string | undefined
  /** Profile version that was saved at the end. */
  readonly profileVersion?: number | undefined
  /** Why the profile could not be saved. */
  readonly profileError?: string | undefined
}

/** Ends an active session. Returns `undefined` if it is not active. */
export async function markSessionEnded(db: Kysely<Database>, ending: SessionOutcome): Promise<SessionRow | undefined> {
  const row = await db
    .updateTable('session')
    .set({
      status: ending.status,
      endReason: ending.reason,
      endedAt: ending.endedAt,
      durationMs: ending.durationMs,
      creditsBilled: ending.credits,
      error: ending.error ?? null,
      profileVersion: ending.profileVersion ?? null,
      profileError: ending.profileError ?? null,
      ...(ending.lastActivityAt === undefined ? {} : { lastActivityAt: ending.lastActivityAt }),
      // Clears the key of a session that failed to start, so that the request can be retried.
      ...(ending.status === 'error' ? { idempotencyKey: null } : {}),
    })
    .where('id', '=', ending.id)
    .where('status', '=', 'active')
    .returningAll()
    .executeTakeFirst()
  return row && toRow(row)
}

/** Removes a session that has never started. */
export async function removeSession(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute()
}

/** Returns the session of a team with this idempotency key, or `undefined`. */
export async function findByIdempotencyKey(
  db: Kysely<Database>,
  teamId: string,
  idempotencyKey: string | undefined,
): Promise<SessionRow | undefined> {
  const row = await db
    .selectFrom('session')
    .selectAll()
    .where('teamId', '=', teamId)
    .where('idempotencyKey', '=', idempotencyKey ?? null)
    .executeTakeFirst()
  return row && toRow(row)
}

/** Lists the sessions of a team with these idempotency keys, oldest first. */
export async function listByIdempotencyKeys(
  db: Kysely<Database>,
  teamId: string,
  keys: readonly string[],
): Promise<readonly SessionRow[]> {
  const rows = await db
    .selectFrom('session')
    .selectAll()
    .where('teamId', '=', teamId)
    .where('idempotencyKey', 'in', keys)
    .orderBy('createdAt')
    .execute()
  return rows.map(toRow)
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
 * Returns a session of a team. Throws SESSION_NOT_FOUND, also for sessions of other teams, in order
 * not to reveal them.
 */
export async function getTeamSession(db: Kysely<Database>, id: string, teamId: string): Promise<SessionRow> {
  const row = await getSession(db, id)
  if (row.teamId !== teamId) throw sessionNotFound()
  return row
}

/** Creates the error for an unknown session, or one whose existence the caller must not learn. */
export function sessionNotFound(): BowlineError {
  return new BowlineError('SESSION_NOT_FOUND', 'Browser session not found.')
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

/** Returns why those of the given sessions that have ended did, by their ids. */
export async function endReasonsOf(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<SessionRow['endReason']>>> {
  const rows = await db
    .selectFrom('session')
    .select(['id', 'endReason'])
    .where('id', 'in', ids)
    .where('status', '<>', 'active')
    .execute()
  return new Map(rows.map(({ id, endReason }) => [id, endReason ?? 'lost']))
}

/** Times of a live session, as its node records them with each heartbeat. */
export type SessionProgress = Pick<SessionRow, 'id' | 'lastActivityAt'> & { readonly aliveUntil: Date }

/**
 * Updates the times of active sessions in one statement. The last activity never moves backwards.
 */
export async function saveProgress(db: Kysely<Database>, live: readonly SessionProgress[]): Promise<void> {
  if (live.length === 0) return
  const rows = JSON.stringify(
    live.map(({ id, lastActivityAt, aliveUntil }) => ({ id, used: lastActivityAt, aliveUntil })),
  )
  await sql`
    update session set last_activity_at = greatest(session.last_activity_at, live.used), alive_until = live."aliveUntil"
    from json_to_recordset(${rows}::json) as live (id uuid, used timestamptz, "aliveUntil" timestamptz)
    where session.id = live.id and session.status = 'active'`.execute(db)
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

/** Returns the data of sessions that pending saves of their profiles need. */
export function profileWriters(db: Kysely<Database>) {
  return {
    isActive: async (id: string): Promise<boolean> => (await findSession(db, id))?.status === 'active',
    recordSavedProfile: async (id: string, version: number): Promise<void> => recordSavedProfile(db, id, version),
  }
}
