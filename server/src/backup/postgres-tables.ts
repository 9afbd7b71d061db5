import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/** Schema of the tables of the job queues. */
export const queueSchema = 'pgboss'

/** Lists the tables of the connection's schema, and the schema of the queues if there is one. */
export async function listTables(db: Kysely<Database>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()
    union all select nspname from pg_namespace where nspname = ${queueSchema}
    order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Returns the statements that drop tables as returned by `listTables`. */
export function dropStatements(tables: readonly string[]): readonly string[] {
  const own = tables.filter((name) => name !== queueSchema)
  return [
    ...(own.length === 0 ? [] : [`drop table ${own.map(quoteName).join(', ')} cascade`]),
    `drop schema if exists ${queueSchema} cascade`,
  ]
}

/** Quotes a name for SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
