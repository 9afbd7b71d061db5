import { sql, type Kysely, type Selectable } from 'kysely'
import { toRecord, type Recorded } from './record.ts'
import type { Database } from './schema.ts'
import type { ArtifactTable } from './tables/sessions.ts'

/** Something that is kept of a session after its end. */
export type ArtifactRow = Recorded<Selectable<ArtifactTable>>

/** Of which session, and whether its files or its recordings. */
export interface ArtifactFolder {
  readonly sessionId: string
  readonly kind: ArtifactRow['kind']
}

/** Enters an artifact whose blob is about to be written: it is not listed before `completeArtifact`. */
export async function addArtifact(
  db: Kysely<Database>,
  row: Omit<ArtifactRow, 'bytes' | 'createdAt'> & { readonly createdAt?: Date },
): Promise<void> {
  await db.insertInto('artifact').values(row).execute()
}

/** Notes that the blob of an artifact is there. */
export async function completeArtifact(db: Kysely<Database>, id: string, bytes: number): Promise<void> {
  await db.updateTable('artifact').set({ bytes }).where('id', '=', id).execute()
}

/** What is kept and whole, oldest first. */
export async function listArtifacts(
  db: Kysely<Database>,
  { sessionId, kind }: ArtifactFolder,
): Promise<readonly ArtifactRow[]> {
  const rows = await db
    .selectFrom('artifact')
    .selectAll()
    .where('sessionId', '=', sessionId)
    .where('kind', '=', kind)
    .where('bytes', 'is not', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(toRecord)
}

/** Strikes an artifact off. */
export async function removeArtifact(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('artifact').where('id', '=', id).execute()
}

/** Artifacts whose time is over at `now`, at most a thousand. */
export async function findExpiredArtifacts(db: Kysely<Database>, now: Date): Promise<readonly string[]> {
  const rows = await db.selectFrom('artifact').select('id').where('expiresAt', '<=', now).limit(1000).execute()
  return rows.map(({ id }) => id)
}
