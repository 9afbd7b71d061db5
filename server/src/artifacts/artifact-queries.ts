import { sql, type Kysely, type Selectable } from 'kysely'
import { toRow, type Row } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import type { ArtifactTable } from '../store/tables/sessions.ts'

/** A file or recording that is stored beyond the end of its session. */
export type ArtifactRow = Row<Selectable<ArtifactTable>>

/** Selects the files or the recordings of a session. */
export interface ArtifactFolder {
  readonly sessionId: string
  readonly kind: ArtifactRow['kind']
}

/** Inserts an artifact before its blob is written. It is not listed until `completeArtifact`. */
export async function addArtifact(
  db: Kysely<Database>,
  row: Omit<ArtifactRow, 'bytes' | 'createdAt'> & { readonly createdAt?: Date },
): Promise<void> {
  await db.insertInto('artifact').values(row).execute()
}

/** Marks the blob of an artifact as written. */
export async function completeArtifact(db: Kysely<Database>, id: string, bytes: number): Promise<void> {
  await db.updateTable('artifact').set({ bytes }).where('id', '=', id).execute()
}

/** Lists complete artifacts that have not expired, oldest first. */
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
  return rows.map(toRow)
}

/** Deletes an artifact. */
export async function removeArtifact(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('artifact').where('id', '=', id).execute()
}

/** Returns the ids of artifacts that have expired at `now`, at most 1000. */
export async function findExpiredArtifacts(db: Kysely<Database>, now: Date): Promise<readonly string[]> {
  const rows = await db.selectFrom('artifact').select('id').where('expiresAt', '<=', now).limit(1000).execute()
  return rows.map(({ id }) => id)
}
