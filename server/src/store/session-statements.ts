import { sql, type Kysely } from 'kysely'
import type { EndReason } from 'bowline/contract/browser'
import { uuidV7 } from 'bowline/kit/ids'
import type { Database } from './schema.ts'
import type { OnBrowserClose } from './tables/sessions.ts'

/** A session to admit. It is created now and expires after its TTL, by the database's clock. */
export interface NewSessionRow {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly nodeId: string
  readonly ttlSeconds: number
  readonly activityTtlSeconds: number
  readonly streamWebView: boolean
  readonly onBrowserClose: OnBrowserClose
  readonly profileName?: string | undefined
  readonly profileSave?: boolean | undefined
  /** Whether files are stored beyond the end of the session. Default false. */
  readonly keepFiles?: boolean | undefined
  /** Recording options, as JSON. */
  readonly record?: string | undefined
  readonly secret: string
  /** Credits reserved until the end of the session, when its price is known. */
  readonly reservedCredits: number
  /** A second request of the team with this key returns the first session. */
  readonly idempotencyKey?: string | undefined
  readonly requestHash?: string | undefined
}

/**
 * Reserves credits and a slot of the team and inserts the session. Returns no row if it is refused.
 */
export function admitStatement(db: Kysely<Database>, wanted: NewSessionRow) {
  const now = sql<Date>`date_trunc('milliseconds', now())`
  const columns = {
    ...wanted,
    keepFiles: wanted.keepFiles === true,
    status: 'active',
    createdAt: now,
    lastActivityAt: now,
    expiresAt: sql<Date>`${now} + make_interval(secs => ${wanted.ttlSeconds}::double precision)`,
  }
  const names = Object.keys(columns) as (keyof typeof columns)[]
  return db
    .with('slot', (query) =>
      query
        .updateTable('team')
        .set((eb) => ({
          reservedCredits: eb('reservedCredits', '+', wanted.reservedCredits),
          activeSessions: eb('activeSessions', '+', 1),
        }))
        .where('id', '=', wanted.teamId)
        .where((eb) =>
          eb.or([
            eb('credits', 'is', null),
            eb(eb('credits', '-', eb.ref('reservedCredits')), '>=', wanted.reservedCredits),
          ]),
        )
        .where((eb) =>
          eb.or([
            eb('maxConcurrency', 'is', null),
            eb(eb('activeSessions', '+', eb.ref('activeScrapes')), '<', eb.ref('maxConcurrency')),
          ]),
        )
        .where((eb) => eb.not(eb.exists(idempotencyStatement(db, wanted.teamId, wanted.idempotencyKey))))
        .returning('id'),
    )
    .with('admitted', (query) =>
      query
        .insertInto('session')
        .columns(names)
        .expression((eb) => eb.selectFrom('slot').select(names.map((name) => sql`${columns[name] ?? null}`.as(name))))
        .returningAll(),
    )
    .selectFrom('admitted')
    .selectAll()
}

/** Selects the session of a team with this idempotency key. Returns no row without a key. */
export function idempotencyStatement(db: Kysely<Database>, teamId: string, idempotencyKey: string | undefined) {
  return db
    .selectFrom('session')
    .selectAll()
    .where('teamId', '=', teamId)
    .where('idempotencyKey', '=', idempotencyKey ?? null)
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

/**
 * Ends an active session, bills it and releases its reservation. Returns no row if it is not
 * active.
 */
export function endStatement(db: Kysely<Database>, ending: SessionOutcome) {
  return db
    .with('ended', (query) =>
      query
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
        .returningAll(),
    )
    .with('billed', (query) =>
      query
        .insertInto('ledger')
        .columns(['id', 'teamId', 'apiKeyId', 'kind', 'subjectId', 'credits', 'createdAt'])
        .expression((eb) =>
          eb
            .selectFrom('ended')
            .select((ended) => [
              sql<string>`${uuidV7()}::uuid`.as('id'),
              'teamId',
              'apiKeyId',
              sql<string>`'session'`.as('kind'),
              'id as subjectId',
              ended.ref('creditsBilled').as('credits'),
              ended.ref('endedAt').as('createdAt'),
            ]),
        ),
    )
    .with('settled', (query) =>
      query
        .updateTable('team')
        .from('ended')
        .set((eb) => ({
          credits: eb('team.credits', '-', ending.credits),
          reservedCredits: eb('team.reservedCredits', '-', eb.ref('ended.reservedCredits')),
          activeSessions: eb('team.activeSessions', '-', 1),
        }))
        .whereRef('team.id', '=', 'ended.teamId'),
    )
    .selectFrom('ended')
    .selectAll()
}
