import { sql, type Kysely, type Transaction } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import type { Database } from '../store/schema.ts'
import type { RawDatabase } from '../store/store.ts'
import { listCopiedTables, type CopiedTable } from './copied-tables.ts'
import { quoteName } from './postgres-tables.ts'

/** Bytes of rows, as stored, that are copied at once. */
const batchBytes = 2 * 1024 ** 2

/** Rows that are copied at once. */
const batchRows = 1000

/** Rows whose sizes are read at once. */
const pageRows = 20_000

/** Number of rows by table. */
export type RowCounts = Readonly<Record<string, number>>

/**
 * Copies all rows of the embedded database to a PostgreSQL with the same, empty tables, in one
 * transaction, and counts them in both. Returns the counts. Throws STORE_FAILED if they differ;
 * then the target is still empty. Nothing else may use either database.
 */
export async function copyRows(from: RawDatabase, to: Kysely<Database>): Promise<RowCounts> {
  const tables = await listCopiedTables(from)
  return to.transaction().execute(async (transaction) => {
    const counts: Record<string, number> = {}
    for (const { partition } of tables) {
      // Such as that of a day.
      if (partition !== undefined) await sql.raw(partition).execute(transaction)
    }
    for (const table of tables) {
      await copyTable(from, transaction, table)
      counts[table.name] = await countRows(from, transaction, table)
    }
    await copySequences(from, transaction)
    return counts
  })
}

async function copyTable(from: RawDatabase, to: Transaction<Database>, table: CopiedTable): Promise<void> {
  const { name, columns } = table
  const list = columns.map((column) => quoteName(column.name))
  const selected = list.map((column, index) => `${column}::text as c${index}`).join(', ')
  const values = columns.map(({ type }, index) => `c${index}::${type}`).join(', ')
  const aliases = columns.map((_column, index) => `c${index}`).join(', ')
  for await (const batch of batchesOf(from, table)) {
    const { rows } = await from.query<Readonly<Record<string, string | null>>>(
      `select ${selected} from only ${name} where ctid = any($1::text::tid[])`,
      [`{${batch.map((position) => `"${position}"`).join(',')}}`],
    )
    const arrays = columns.map((_column, index) => sql`${rows.map((row) => row[`c${index}`] ?? null)}::text[]`)
    await sql`insert into ${sql.raw(name)} (${sql.raw(list.join(', '))})
      select ${sql.raw(values)} from unnest(${sql.join(arrays)}) as batch (${sql.raw(aliases)})`.execute(to)
  }
}

/** Divides the rows of a table into batches of bounded size. Returns their physical positions. */
async function* batchesOf(from: RawDatabase, { name, columns }: CopiedTable): AsyncGenerator<readonly string[]> {
  const bytes = columns.map((column) => `coalesce(pg_column_size(${quoteName(column.name)}), 0)`).join(' + ')
  let last = '(0,0)'
  let batch: string[] = []
  let size = 0
  for (;;) {
    const { rows } = await from.query<{ position: string; bytes: number }>(
      `select ctid::text as position, ${bytes} as bytes from only ${name} where ctid > $1::text::tid order by ctid limit ${pageRows}`,
      [last],
    )
    for (const row of rows) {
      if (batch.length === batchRows || (batch.length > 0 && size + row.bytes > batchBytes)) {
        yield batch
        batch = []
        size = 0
      }
      batch.push(row.position)
      size += row.bytes
    }
    if (rows.length < pageRows) break
    last = rows.at(-1)?.position ?? last
  }
  if (batch.length > 0) yield batch
}

async function countRows(from: RawDatabase, to: Transaction<Database>, { name }: CopiedTable): Promise<number> {
  const count = `select count(*) as count from ${name}`
  const [source] = (await from.query<{ count: number }>(count)).rows
  const [target] = (await sql<{ count: number }>`${sql.raw(count)}`.execute(to)).rows
  if (source?.count === target?.count) return source?.count ?? 0
  throw new BowlineError(
    'STORE_FAILED',
    `The table ${name} has ${source?.count} rows in the embedded database, but ${target?.count} in PostgreSQL: nothing was moved`,
    { hint: 'Check that no other program writes to the PostgreSQL database, and try again.' },
  )
}

/** Sets the sequences of the target to the values of the source. */
async function copySequences(from: RawDatabase, to: Transaction<Database>): Promise<void> {
  const { rows } = await from.query<{ name: string; value: number }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value as value from pg_sequences
      where last_value is not null`,
  )
  for (const { name, value } of rows) await sql`select setval(${name}, ${value})`.execute(to)
}
