import { sql, type Kysely, type Selectable } from 'kysely'
import { isFree, noLease, releaseLease, type Lease, type ProfileRow } from './lease-queries.ts'
import { toRow, type Row } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import type { ProfileVersionTable } from '../store/tables/profiles.ts'

/** A saved version of a profile. */
export type ProfileVersionRow = Row<Selectable<ProfileVersionTable>>

/** Identifies a profile by team and name. */
export interface ProfileName {
  readonly teamId: string
  readonly name: string
}

/** A version to save. */
export type NewVersion = Omit<ProfileVersionRow, 'profileId' | 'version' | 'savedAt'>

/** A profile with statistics of its versions. */
export interface ProfileSummary extends ProfileRow {
  readonly current: ProfileVersionRow | undefined
  readonly versions: number
  readonly storedBytes: number
  readonly isLocked: boolean
}

/**
 * Saves a version as the current one and releases the lease, in one statement. Returns `undefined`
 * and changes nothing if a newer lease has been issued.
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
  return row && toRow(row)
}

/**
 * Like `commitVersion`, for a version whose earlier commit may have succeeded although its response
 * was lost. In that case, releases the lease and returns the saved version.
 */
export async function commitVersionOnce(
  db: Kysely<Database>,
  lease: Lease,
  version: NewVersion,
): Promise<ProfileVersionRow | undefined> {
  return db.transaction().execute(async (transaction) => {
    // Waits for an earlier commit that is still in progress.
    await transaction.selectFrom('profile').select('id').where('id', '=', lease.profileId).forUpdate().execute()
    const saved = await transaction
      .selectFrom('profileVersion')
      .selectAll()
      .where('profileId', '=', lease.profileId)
      .where('blob', '=', version.blob)
      .executeTakeFirst()
    if (saved === undefined) return commitVersion(transaction, lease, version)
    await releaseLease(transaction, lease)
    return toRow(saved)
  })
}

/**
 * Deletes all but the newest `keep` versions and the current one. Returns the blobs of the deleted
 * versions.
 */
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

/** Returns the version that sessions start with, or `undefined` if nothing has been saved yet. */
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
  return row && toRow(row)
}

/**
 * Lists the profiles of a team that have a version or a writer, by name. With `name`, only that
 * one.
 */
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
  const byProfile = Map.groupBy(versions.map(toRow), ({ profileId }) => profileId)
  return rows.map((row) => {
    const own = byProfile.get(row.id) ?? []
    return Object.assign(toRow(row), {
      current: own.find(({ version }) => version === row.currentVersion),
      versions: own.length,
      storedBytes: own.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
    })
  })
}

/** Lists the versions of a profile, newest first. */
export async function listVersions(db: Kysely<Database>, profileId: string): Promise<readonly ProfileVersionRow[]> {
  const rows = await db
    .selectFrom('profileVersion')
    .selectAll()
    .where('profileId', '=', profileId)
    .orderBy('version', 'desc')
    .execute()
  return rows.map(toRow)
}

/**
 * Makes an earlier version current. Returns `false` if the profile is locked or has no such
 * version.
 */
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

/**
 * Deletes a profile. Returns the blobs of its versions, or `undefined` if it is locked or does not
 * exist.
 */
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

/** Returns which of these blobs belong to a version. */
export async function findUsedBlobs(db: Kysely<Database>, blobs: readonly string[]): Promise<ReadonlySet<string>> {
  if (blobs.length === 0) return new Set()
  const rows = await db.selectFrom('profileVersion').select('blob').where('blob', 'in', blobs).execute()
  return new Set(rows.map(({ blob }) => blob))
}

/** A version and where it is stored. */
export type StoredVersion = Pick<ProfileVersionRow, 'profileId' | 'version' | 'blob' | 'keyId'>

/** Lists the versions that were encrypted with these keys, oldest first. */
export async function listVersionsOfKeys(
  db: Kysely<Database>,
  keyIds: readonly string[],
): Promise<readonly StoredVersion[]> {
  if (keyIds.length === 0) return []
  return db
    .selectFrom('profileVersion')
    .select(['profileId', 'version', 'blob', 'keyId'])
    .where('keyId', 'in', keyIds)
    .orderBy('savedAt')
    .execute()
}

/**
 * Replaces the blob of a version. Returns whether the version still had its earlier blob.
 */
export async function replaceBlob(
  db: Kysely<Database>,
  { profileId, version, blob: oldBlob }: StoredVersion,
  { blob, keyId }: Pick<ProfileVersionRow, 'blob' | 'keyId'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('profileVersion')
    .set({ blob, keyId })
    .where('profileId', '=', profileId)
    .where('version', '=', version)
    .where('blob', '=', oldBlob)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Counts versions by the id of their encryption key. */
export async function countVersionsByKey(db: Kysely<Database>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('profileVersion')
    .select((eb) => ['keyId', eb.fn.countAll<number>().as('count')])
    .groupBy('keyId')
    .execute()
  return new Map(rows.map(({ keyId, count }) => [keyId, count]))
}
