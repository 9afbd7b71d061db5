import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { toRow, type Row } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import type { ProfileTable } from '../store/tables/profiles.ts'

/** A named profile of a team. */
export type ProfileRow = Row<Selectable<ProfileTable>>

/** Seconds after which a lease expires if it is not renewed. */
export const leaseSeconds = 30

/** Exclusive right to write a profile. Valid while its fence is the newest. */
export interface Lease {
  readonly profileId: string
  readonly fence: number
}

/** Options of `takeLease`. Without `sessionId`, the lease is for an import. */
export interface LeaseRequest {
  readonly teamId: string
  readonly name: string
  readonly nodeId: string
  readonly sessionId?: string | undefined
}

/** Current writer of a profile. */
export interface LeaseHolder {
  readonly sessionId: string | undefined
  readonly sessionName: string | undefined
  /** Latest time at which the holder ends on its own. */
  readonly endsAt: Date
}

/**
 * Takes the write lease of a profile and creates the profile if needed. Otherwise returns the
 * current holder.
 */
export async function takeLease(
  db: Kysely<Database>,
  wanted: LeaseRequest,
): Promise<{ readonly profile: ProfileRow } | { readonly holder: LeaseHolder }> {
  const lease = {
    leaseSessionId: wanted.sessionId ?? null,
    leaseNodeId: wanted.nodeId,
    leaseExpiresAt: nowPlusLease,
    lastNodeId: wanted.nodeId,
  }
  // The holder may release the lease between the two queries. In that case, try again.
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const row = await db
      .insertInto('profile')
      .values({ id: uuidV7(), teamId: wanted.teamId, name: wanted.name, ...lease })
      .onConflict((conflict) =>
        conflict
          .columns(['teamId', 'name'])
          .doUpdateSet((eb) => ({ ...lease, fence: eb('profile.fence', '+', 1) }))
          .where(isFree('profile')),
      )
      .returningAll()
      .executeTakeFirst()
    if (row !== undefined) return { profile: toRow(row) }
    const holder = await findHolder(db, wanted)
    if (holder !== undefined) return { holder }
  }
  throw new BowlineError('PROFILE_LOCKED', `The profile "${wanted.name}" is locked: too many sessions compete for it`, {
    retryAfterSeconds: 1,
  })
}

/** Returns the server that wrote a profile last, or writes it now. */
export async function findLastNode(
  db: Kysely<Database>,
  profile: { readonly teamId: string; readonly name: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('profile')
    .select('lastNodeId')
    .where('teamId', '=', profile.teamId)
    .where('name', '=', profile.name)
    .executeTakeFirst()
  return row?.lastNodeId ?? undefined
}

/** Returns the holder of a profile's lease, or `undefined` if it is free. */
export async function findHolder(
  db: Kysely<Database>,
  profile: { readonly teamId: string; readonly name: string },
): Promise<LeaseHolder | undefined> {
  const row = await db
    .selectFrom('profile')
    .leftJoin('session', 'session.id', 'profile.leaseSessionId')
    .select(['profile.leaseSessionId', 'profile.leaseExpiresAt', 'session.expiresAt', 'session.name as sessionName'])
    .where('profile.teamId', '=', profile.teamId)
    .where('profile.name', '=', profile.name)
    .where((eb) => eb.not(isFree('profile')))
    .executeTakeFirst()
  if (row?.leaseExpiresAt === undefined || row.leaseExpiresAt === null) return undefined
  const { leaseSessionId, sessionName, expiresAt, leaseExpiresAt } = row
  return {
    sessionId: leaseSessionId ?? undefined,
    sessionName: sessionName ?? undefined,
    endsAt: expiresAt ?? leaseExpiresAt,
  }
}

/** Renews leases in one statement. Does not restore lost ones. */
export async function renewLeases(db: Kysely<Database>, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return
  await sql`
    update profile set lease_expires_at = ${nowPlusLease}
    from json_to_recordset(${JSON.stringify(leases)}::json) as held ("profileId" uuid, fence bigint)
    where profile.id = held."profileId" and profile.fence = held.fence and profile.lease_expires_at is not null`.execute(
    db,
  )
}

/**
 * Restores a lease that expired while its node was down. Returns `false` if a newer lease has been
 * issued.
 */
export async function reclaimLease(db: Kysely<Database>, lease: Lease, nodeId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('profile')
    .set({ leaseNodeId: nodeId, leaseExpiresAt: nowPlusLease })
    .where('id', '=', lease.profileId)
    .where('fence', '=', lease.fence)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Releases a lease. Does nothing if it was lost. */
export async function releaseLease(db: Kysely<Database>, lease: Lease): Promise<void> {
  await db
    .updateTable('profile')
    .set(noLease)
    .where('id', '=', lease.profileId)
    .where('fence', '=', lease.fence)
    .execute()
}

/** Releases all leases of a node that is dead or has just started. */
export async function releaseLeasesOfNode(db: Kysely<Database>, nodeId: string): Promise<void> {
  await db.updateTable('profile').set(noLease).where('leaseNodeId', '=', nodeId).execute()
}

/** Columns of a profile without a lease. */
export const noLease = { leaseSessionId: null, leaseNodeId: null, leaseExpiresAt: null } as const

/**
 * Whether a profile's lease is free, by the database's clock. One that expires later than a new one
 * would is from before the clock was set back, and lasts until its holder renews it.
 */
export function isFree(table: 'profile'): RawBuilder<boolean> {
  const expiresAt = sql.ref(`${table}.leaseExpiresAt`)
  return sql<boolean>`(${expiresAt} is null or ${expiresAt} < now() or ${expiresAt} > ${nowPlusLease} + interval '1 second')`
}

const nowPlusLease = sql<Date>`now() + make_interval(secs => ${sql.lit(leaseSeconds)})`
