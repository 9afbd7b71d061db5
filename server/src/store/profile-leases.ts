import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { toRecord, type Recorded } from './record.ts'
import type { Database } from './schema.ts'
import type { ProfileTable } from './tables/profiles.ts'

/** A named profile of a team. */
export type ProfileRow = Recorded<Selectable<ProfileTable>>

/** Seconds after which a lease that nobody renews is free. */
export const leaseSeconds = 30

/** The right to write a profile: valid as long as its fence is the newest. */
export interface Lease {
  readonly profileId: string
  readonly fence: number
}

/** Who asks for a lease. Without a session it is an import. */
export interface LeaseRequest {
  readonly teamId: string
  readonly name: string
  readonly nodeId: string
  readonly sessionId?: string | undefined
}

/** Who writes a profile now. */
export interface LeaseHolder {
  readonly sessionId: string | undefined
  /** When the holder ends by itself at the latest. */
  readonly endsAt: Date
}

/** Takes the one writer's lease of a profile, which is made when there is none, or tells who has it. */
export async function takeLease(
  db: Kysely<Database>,
  wanted: LeaseRequest,
): Promise<{ readonly profile: ProfileRow } | { readonly holder: LeaseHolder }> {
  const lease = {
    leaseSessionId: wanted.sessionId ?? null,
    leaseNodeId: wanted.nodeId,
    leaseExpiresAt: nowPlusLease,
  }
  // The holder may let go between the refusal and the question who it is.
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
    if (row !== undefined) return { profile: toRecord(row) }
    const holder = await findHolder(db, wanted)
    if (holder !== undefined) return { holder }
  }
  throw new BowlineError('PROFILE_LOCKED', `The profile "${wanted.name}" changes hands too often`, {
    retryAfterSeconds: 1,
  })
}

/** Who holds the lease of a profile; undefined when nobody does. */
export async function findHolder(
  db: Kysely<Database>,
  profile: { readonly teamId: string; readonly name: string },
): Promise<LeaseHolder | undefined> {
  const row = await db
    .selectFrom('profile')
    .leftJoin('session', 'session.id', 'profile.leaseSessionId')
    .select(['profile.leaseSessionId', 'profile.leaseExpiresAt', 'session.expiresAt'])
    .where('profile.teamId', '=', profile.teamId)
    .where('profile.name', '=', profile.name)
    .where((eb) => eb.not(isFree('profile')))
    .executeTakeFirst()
  if (row?.leaseExpiresAt === undefined || row.leaseExpiresAt === null) return undefined
  return { sessionId: row.leaseSessionId ?? undefined, endsAt: row.expiresAt ?? row.leaseExpiresAt }
}

/** Keeps leases from expiring, in one statement. Those that were lost stay lost. */
export async function renewLeases(db: Kysely<Database>, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return
  await sql`
    update profile set lease_expires_at = ${nowPlusLease}
    from json_to_recordset(${JSON.stringify(leases)}::json) as held ("profileId" uuid, fence bigint)
    where profile.id = held."profileId" and profile.fence = held.fence and profile.lease_expires_at is not null`.execute(
    db,
  )
}

/** Takes back a lease that ended while its node was down. False when another one was given since: its fence is newer. */
export async function reclaimLease(db: Kysely<Database>, lease: Lease, nodeId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('profile')
    .set({ leaseNodeId: nodeId, leaseExpiresAt: nowPlusLease })
    .where('id', '=', lease.profileId)
    .where('fence', '=', lease.fence)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives a lease back. Harmless when it was lost. */
export async function releaseLease(db: Kysely<Database>, lease: Lease): Promise<void> {
  await db
    .updateTable('profile')
    .set(noLease)
    .where('id', '=', lease.profileId)
    .where('fence', '=', lease.fence)
    .execute()
}

/** Gives back every lease that a node held: it is dead, or has just started. */
export async function releaseLeasesOfNode(db: Kysely<Database>, nodeId: string): Promise<void> {
  await db.updateTable('profile').set(noLease).where('leaseNodeId', '=', nodeId).execute()
}

/** The columns of a profile that nobody writes. */
export const noLease = { leaseSessionId: null, leaseNodeId: null, leaseExpiresAt: null } as const

/** Whether nobody writes the profile, by the clock of the database. */
export function isFree(table: 'profile'): RawBuilder<boolean> {
  const expiresAt = sql.ref(`${table}.leaseExpiresAt`)
  return sql<boolean>`(${expiresAt} is null or ${expiresAt} < now())`
}

const nowPlusLease = sql<Date>`now() + make_interval(secs => ${sql.lit(leaseSeconds)})`
