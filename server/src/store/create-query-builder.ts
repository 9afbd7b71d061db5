import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Database } from './schema.ts'
import { traceQuery } from './trace-query.ts'

/** Creates a query builder on a connection pool that maps snake_case columns to camelCase. */
export function createQueryBuilder(pool: PostgresPool): Kysely<Database> {
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    log: traceQuery,
  })
}
