import { sql, type Kysely, type Selectable } from 'kysely'
import { toRow, type Row } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import { measureMachine, type MachineUse } from './machine-use.ts'
import type { NodeTable } from '../store/tables/sessions.ts'

/** A registered server. */
export type NodeRow = Row<Selectable<NodeTable>>

/** Registers a node, or resets it after a restart. */
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
    ...measureMachine(),
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
  return toRow(row)
}

/**
 * Updates the heartbeat and load of a node. The use of its machine is measured here by default.
 * Returns `false` if the node is not registered, because
 * others considered it dead. It must then register again.
 */
export async function recordHeartbeat(
  db: Kysely<Database>,
  heartbeat: { readonly id: string; readonly live: number; readonly draining: boolean } & Partial<MachineUse>,
): Promise<boolean> {
  const { id, live, draining, memoryUsed, cpuUsed } = { ...measureMachine(), ...heartbeat }
  const { numUpdatedRows } = await db
    .updateTable('node')
    .set({ live, draining, memoryUsed, cpuUsed, heartbeatAt: sql<Date>`now()` })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lists all nodes, longest running first. */
export async function listNodes(db: Kysely<Database>): Promise<readonly NodeRow[]> {
  const rows = await db.selectFrom('node').selectAll().orderBy('startedAt').orderBy('id').execute()
  return rows.map(toRow)
}

/**
 * Returns nodes without a heartbeat for this long, by the database's clock, as the clocks of nodes
 * may differ.
 */
export async function findDeadNodes(db: Kysely<Database>, olderThanSeconds: number): Promise<readonly NodeRow[]> {
  const rows = await db
    .selectFrom('node')
    .selectAll()
    .where('heartbeatAt', '<', sql<Date>`now() - make_interval(secs => ${olderThanSeconds}::double precision)`)
    .orderBy('heartbeatAt')
    .execute()
  return rows.map(toRow)
}

/** Deletes a node. Does nothing if it is not registered. */
export async function removeNode(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('node').where('id', '=', id).execute()
}
