import { sql, type Kysely } from 'kysely'
import type { Database } from '../../src/store/schema.ts'

/** Statements that undo the migrations after 0024. */
const statements = [
  'alter table session drop column name, drop column metadata, drop column webhook, drop column is_prompted, drop column alive_until, drop column options, drop column profile_loaded',
  'drop table health_sample',
  'alter table activity drop column audit_username',
  'alter table scrape drop column replay',
  'drop table extension',
  'drop table parse_upload',
  'drop table agent_step, agent_job',
  'drop index extract_job_by_team',
  'alter table monitor drop column schedule_text',
  'drop table audit_event',
  'drop table secret',
  'alter table api_key drop column mcp',
  'drop index job_open, webhook_delivery_pending',
  'drop table ledger_day',
  'drop index tracked_page_by_age',
  'alter table node drop column memory_used, drop column cpu_used',
  'alter table profile drop column last_node_id',
  'alter table monitor_check drop column crashes',
  'drop table indexed_word_change, indexed_word',
  'alter table indexed_page drop column length',
  'alter table job_page drop column target_identity',
]

/** Returns a database to its schema before migration 0025. The caller undoes earlier migrations. */
export async function undoMigrationsAfter0024(db: Kysely<Database>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await sql`delete from kysely_migration where name >= '0025'`.execute(db)
}
