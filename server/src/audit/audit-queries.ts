import { sql, type Kysely, type Selectable } from 'kysely'
import { z } from 'zod'
import type { ListPosition } from '../kit/page-cursor.ts'
import type { AuditEventTable } from '../store/tables/audit.ts'
import { jsonb, JsonTable, type JsonFields, type JsonRow } from '../store/tables/json-table.ts'
import type { Database } from '../store/schema.ts'

const columns = { details: jsonb(z.record(z.string(), z.unknown())) }
const events = new JsonTable('audit_event', columns)

/** An entry to insert. */
export type NewAuditRow = JsonFields<AuditEventTable, typeof columns>

/** An entry with the names of the teams and the key it refers to, if they exist. */
export type AuditRow = JsonRow<
  Selectable<AuditEventTable> & Readonly<Record<JoinedName, string | null>>,
  typeof columns
>

type JoinedName = 'teamName' | 'keyName' | 'keyTeamName'

/** Selects entries, newest first. */
export interface AuditFilter {
  readonly action?: string | undefined
  readonly teamId?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly after?: ListPosition | undefined
  readonly limit: number
}

/** Inserts entries in one statement. */
export async function insertAuditRows(db: Kysely<Database>, rows: readonly NewAuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('auditEvent')
    .values(rows.map((row) => events.write(row)))
    .execute()
}

/** Lists entries, newest first. */
export async function listAuditRows(
  db: Kysely<Database>,
  { action, teamId, from, to, after, limit }: AuditFilter,
): Promise<readonly AuditRow[]> {
  let query = db
    .selectFrom('auditEvent')
    .leftJoin('team', 'team.id', 'auditEvent.teamId')
    .leftJoin('apiKey', 'apiKey.id', 'auditEvent.byKeyId')
    .leftJoin('team as keyTeam', 'keyTeam.id', 'apiKey.teamId')
    .selectAll('auditEvent')
    .select(['team.name as teamName', 'apiKey.name as keyName', 'keyTeam.name as keyTeamName'])
  if (action !== undefined) query = query.where('auditEvent.action', '=', action)
  if (teamId !== undefined) query = query.where('auditEvent.teamId', '=', teamId)
  if (from !== undefined) query = query.where('auditEvent.createdAt', '>=', from)
  if (to !== undefined) query = query.where('auditEvent.createdAt', '<', to)
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(audit_event.created_at, audit_event.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
    )
  }
  const rows = await query
    .orderBy('auditEvent.createdAt', 'desc')
    .orderBy('auditEvent.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => events.read(row))
}

/** Deletes entries from before a time. */
export async function deleteOldAuditRows(db: Kysely<Database>, before: Date): Promise<void> {
  await db.deleteFrom('auditEvent').where('createdAt', '<', before).execute()
}
