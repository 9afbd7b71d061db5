import { sql, type Kysely, type Selectable } from 'kysely'
import { toRecord, type Recorded } from './record.ts'
import type { Database } from './schema.ts'
import type { NodeTable } from './tables/sessions.ts'

/** A running server: where it is reached, how many sessions it may hold and holds, and when it was last heard of. */
export type NodeRow = Recorded<Selectable<NodeTable>>

/** Enters a node, or renews it after a restart: started now, heard of now, empty. */
export async function registerNode(
  db: Kysely<Database>,
  node: Pick<NodeRow, 'id' | 'slots'> & Partial<Pick<NodeRow, 'url' | 'bootstrapKeyId' | 'blobs'>>,
): Promise<NodeRow> {
  const fresh = {
    url: node.url ?? null,
    slots: node.slots,
    bootstrapKeyId: node.bootstrapKeyId ?? null,
    blobs: node.blobs ?? null,
    live: 0,
    draining: false,
    startedAt: sql<Date>`now()`,
    heartbeatAt: sql<Date>`now()`,
  }
  const row = await db
    .insertInto('node')
    .values({ id: node.id, ...fresh })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(fresh))
    .returningAll()
    .executeTakeFirstOrThrow()
  return toRecord(row)
}

/** Says that a node lives. False when it is not entered, because others took it for dead: it must register again. */
export async function recordHeartbeat(
  db: Kysely<Database>,
  beat: { readonly id: string; readonly live: number; readonly draining: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('node')
    .set({ live: beat.live, draining: beat.draining, heartbeatAt: sql<Date>`now()` })
    .where('id', '=', beat.id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** All nodes, longest running first. */
export async function listNodes(db: Kysely<Database>): Promise<readonly NodeRow[]> {
  const rows = await db.selectFrom('node').selectAll().orderBy('startedAt').orderBy('id').execute()
  return rows.map(toRecord)
}

/** Nodes not heard of for longer than that, by the clock of the database: clocks of nodes may differ. */
export async function findDeadNodes(db: Kysely<Database>, olderThanSeconds: number): Promise<readonly NodeRow[]> {
  const rows = await db
    .selectFrom('node')
    .selectAll()
    .where('heartbeatAt', '<', sql<Date>`now() - make_interval(secs => ${olderThanSeconds}::double precision)`)
    .orderBy('heartbeatAt')
    .execute()
  return rows.map(toRecord)
}

/** Strikes a node off. Harmless when it is not there. */
export async function removeNode(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('node').where('id', '=', id).execute()
}
