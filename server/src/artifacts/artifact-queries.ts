import { sql, type Kysely, type Selectable } from 'kysely'
import type { z } from 'zod'
import { jsonb, JsonTable, type OnUnreadable } from '../store/tables/json-table.ts'
import type { Row } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import type { ArtifactTable } from '../store/tables/sessions.ts'

/** A file or recording that is stored beyond the end of its session. */
export type ArtifactRow<Details = object> = Omit<Row<Selectable<ArtifactTable>>, 'details'> & {
  readonly details: Details
}

/** Files or recordings, whose feature defines their `details`. */
export interface ArtifactKind<Details> {
  readonly kind: ArtifactRow['kind']
  readonly table: JsonTable<{ readonly details: ReturnType<typeof jsonb<Details>> }>
}

/** Creates a kind of artifacts. `details` is the schema of their metadata. */
export function artifactKind<Details>(kind: ArtifactRow['kind'], details: z.ZodType<Details>): ArtifactKind<Details> {
  return { kind, table: new JsonTable('artifact', { details: jsonb(details) }) }
}

/** Inserts an artifact before its blob is written. It is not listed until `completeArtifact`. */
export async function addArtifact<Details>(
  db: Kysely<Database>,
  { kind, table }: ArtifactKind<Details>,
  row: Omit<ArtifactRow<Details>, 'kind' | 'bytes' | 'createdAt'> & { readonly createdAt?: Date },
): Promise<void> {
  const { details, ...rest } = row
  await db
    .insertInto('artifact')
    .values({ ...rest, kind, details: table.serialize('details', details) })
    // It was stored if the response of the database was lost.
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Marks the blob of an artifact as written. */
export async function completeArtifact(db: Kysely<Database>, id: string, bytes: number): Promise<void> {
  await db.updateTable('artifact').set({ bytes }).where('id', '=', id).execute()
}

/**
 * Lists complete artifacts of a session that have not expired, oldest first. Leaves out those that
 * cannot be read.
 */
export async function listArtifacts<Details>(
  db: Kysely<Database>,
  { kind, table }: ArtifactKind<Details>,
  sessionId: string,
  onUnreadable: OnUnreadable,
): Promise<readonly ArtifactRow<Details>[]> {
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
  return table.readAll(rows, onUnreadable)
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
