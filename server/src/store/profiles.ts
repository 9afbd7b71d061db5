import { sql, type Kysely, type Selectable } from 'kysely'
import { isFree, noLease, type Lease, type ProfileRow } from './profile-leases.ts'
import { toRecord, type Recorded } from './record.ts'
import type { Database } from './schema.ts'
import type { ProfileVersionTable } from './tables/profiles.ts'

/** One saved state of a profile. */
export type ProfileVersionRow = Recorded<Selectable<ProfileVersionTable>>

/** A profile by its team and name. */
export interface ProfileName {
  readonly teamId: string
  readonly name: string
}

/** What is saved as a version. */
export type NewVersion = Omit<ProfileVersionRow, 'profileId' | 'version' | 'savedAt'>

/** A profile with figures of its versions. */
export interface ProfileSummary extends ProfileRow {
  readonly current: ProfileVersionRow | undefined
  readonly versions: number
  readonly storedBytes: number
  readonly isLocked: boolean
}

/**
 * Makes a version the current one and gives the lease back, in one statement. Undefined when the lease was lost to a
 * newer one: then nothing changes.
 */
export async function commitVersion(
  db: Kysely<Database>,
  lease: Lease,
  version: NewVersion,
): Promise<ProfileVersionRow | undefined> {
  const { blob, keyId, storedBytes, contentBytes, browser, sessionId } = version
  const row = await db
    .with('saved', (query) =>
      query
        .updateTable('profile')
        .set((eb) => ({
          lastVersion: eb('lastVersion', '+', 1),
          currentVersion: eb('lastVersion', '+', 1),
          updatedAt: sql<Date>`now()`,
          ...noLease,
        }))
        .where('id', '=', lease.profileId)
        .where('fence', '=', lease.fence)
        .returning(['id', 'lastVersion']),
    )
    .insertInto('profileVersion')
    .columns(['profileId', 'version', 'blob', 'keyId', 'storedBytes', 'contentBytes', 'browser', 'sessionId'])
    .expression((eb) =>
      eb
        .selectFrom('saved')
        .select([
          'id',
          'lastVersion',
          sql<string>`${blob}::text`.as('blob'),
          sql<string>`${keyId}::text`.as('keyId'),
          sql<number>`${storedBytes}::bigint`.as('storedBytes'),
          sql<number>`${contentBytes}::bigint`.as('contentBytes'),
          sql<string>`${browser}::text`.as('browser'),
          sql<string>`${sessionId ?? null}::uuid`.as('sessionId'),
        ]),
    )
    .returningAll()
    .executeTakeFirst()
  return row && toRecord(row)
}

/** Strikes off all but the newest `keep` versions and the current one. Answers the blobs that nobody needs any more. */
export async function pruneVersions(db: Kysely<Database>, profileId: string, keep: number): Promise<readonly string[]> {
  const rows = await db
    .deleteFrom('profileVersion')
    .using('profile')
    .whereRef('profile.id', '=', 'profileVersion.profileId')
    .where('profile.id', '=', profileId)
    .whereRef('profileVersion.version', '<>', 'profile.currentVersion')
    .where('profileVersion.version', 'not in', (eb) =>
      eb
        .selectFrom('profileVersion as newer')
        .select('newer.version')
        .where('newer.profileId', '=', profileId)
        .orderBy('newer.version', 'desc')
        .limit(keep),
    )
    .returning('profileVersion.blob')
    .execute()
  return rows.map(({ blob }) => blob)
}

/** The version of a profile that sessions start with; undefined when there is none yet. */
export async function findCurrentVersion(
  db: Kysely<Database>,
  { teamId, name }: ProfileName,
): Promise<ProfileVersionRow | undefined> {
  const row = await db
    .selectFrom('profileVersion')
    .innerJoin('profile', (join) =>
      join
        .onRef('profile.id', '=', 'profileVersion.profileId')
        .onRef('profile.currentVersion', '=', 'profileVersion.version'),
    )
    .selectAll('profileVersion')
    .where('profile.teamId', '=', teamId)
    .where('profile.name', '=', name)
    .executeTakeFirst()
  return row && toRecord(row)
}

/** The profiles of a team by name, or the one with that name: those that have a version or are being written. */
export async function listProfiles(
  db: Kysely<Database>,
  filter: { readonly teamId: string; readonly name?: string | undefined },
): Promise<readonly ProfileSummary[]> {
  let query = db
    .selectFrom('profile')
    .selectAll('profile')
    .select(sql<boolean>`not ${isFree('profile')}`.as('isLocked'))
    .where('teamId', '=', filter.teamId)
    .where((eb) => eb.or([eb('currentVersion', 'is not', null), eb.not(isFree('profile'))]))
  if (filter.name !== undefined) query = query.where('name', '=', filter.name)
  const rows = await query.orderBy('name').execute()
  if (rows.length === 0) return []
  const versions = await db
    .selectFrom('profileVersion')
    .selectAll()
    .where(
      'profileId',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  const byProfile = Map.groupBy(versions.map(toRecord), ({ profileId }) => profileId)
  return rows.map((row) => {
    const own = byProfile.get(row.id) ?? []
    return Object.assign(toRecord(row), {
      current: own.find(({ version }) => version === row.currentVersion),
      versions: own.length,
      storedBytes: own.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
    })
  })
}

/** The versions of a profile, newest first. */
export async function listVersions(db: Kysely<Database>, profileId: string): Promise<readonly ProfileVersionRow[]> {
  const rows = await db
    .selectFrom('profileVersion')
    .selectAll()
    .where('profileId', '=', profileId)
    .orderBy('version', 'desc')
    .execute()
  return rows.map(toRecord)
}

/** Makes an earlier version the current one. False when the profile is being written or has no such version. */
export async function rollBack(db: Kysely<Database>, { teamId, name }: ProfileName, version: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('profile')
    .set((eb) => ({ currentVersion: version, fence: eb('fence', '+', 1), updatedAt: sql<Date>`now()` }))
    .where('teamId', '=', teamId)
    .where('name', '=', name)
    .where(isFree('profile'))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('profileVersion')
          .select('version')
          .whereRef('profileVersion.profileId', '=', 'profile.id')
          .where('profileVersion.version', '=', version),
      ),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a profile that nobody writes. Answers the blobs of its versions; undefined when it was not deleted. */
export async function deleteProfile(
  db: Kysely<Database>,
  { teamId, name }: ProfileName,
): Promise<readonly string[] | undefined> {
  const rows = await db
    .with('gone', (query) =>
      query
        .deleteFrom('profile')
        .where('teamId', '=', teamId)
        .where('name', '=', name)
        .where(isFree('profile'))
        .returning('id'),
    )
    .selectFrom('gone')
    .leftJoin('profileVersion', 'profileVersion.profileId', 'gone.id')
    .select('profileVersion.blob')
    .execute()
  return rows.length === 0 ? undefined : rows.map(({ blob }) => blob).filter((blob) => blob !== null)
}

/** Which of these blobs a version still needs. */
export async function findUsedBlobs(db: Kysely<Database>, blobs: readonly string[]): Promise<ReadonlySet<string>> {
  if (blobs.length === 0) return new Set()
  const rows = await db.selectFrom('profileVersion').select('blob').where('blob', 'in', blobs).execute()
  return new Set(rows.map(({ blob }) => blob))
}

/** How many saved versions each encryption key has, by the id of the key. */
export async function countVersionsByKey(db: Kysely<Database>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('profileVersion')
    .select((eb) => ['keyId', eb.fn.countAll<number>().as('count')])
    .groupBy('keyId')
    .execute()
  return new Map(rows.map(({ keyId, count }) => [keyId, count]))
}
