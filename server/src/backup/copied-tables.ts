import type { RawDatabase } from '../store/store.ts'
import { queueSchema } from './postgres-tables.ts'

/** A table to copy. */
export interface CopiedTable {
  /** Quoted, and qualified unless it is in `public`. */
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Statement that creates it in another database, if it is a partition that may be missing. */
  readonly partition: string | undefined
}

interface TableRow {
  readonly name: string
  readonly columns: CopiedTable['columns']
  readonly parent: string | null
  readonly bound: string | null
  /** Names of the tables that its foreign keys refer to. */
  readonly refersTo: readonly string[]
}

/**
 * Lists the tables of Bowline and of its queues, with each after those that it refers to. Leaves
 * out the tables that record migrations, which every database has by itself.
 */
export async function listCopiedTables(from: RawDatabase): Promise<readonly CopiedTable[]> {
  const { rows } = await from.query<TableRow>(
    `select ${nameOf('n.nspname', 'c.relname')} as name,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      case when c.relispartition then pg_partition_root(c.oid)::regclass::text end as parent,
      case when c.relispartition then pg_get_expr(c.relpartbound, c.oid) end as bound,
      (select coalesce(json_agg(${nameOf('rn.nspname', 'r.relname')}), '[]')
        from pg_constraint f join pg_class r on r.oid = f.confrelid join pg_namespace rn on rn.oid = r.relnamespace
        where f.conrelid = c.oid and f.contype = 'f') as "refersTo"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', $1)
      and c.relname not in ('kysely_migration', 'kysely_migration_lock') and (n.nspname <> $1 or c.relname <> 'version')
    order by name`,
    [queueSchema],
  )
  return sortByReferences(rows).map(({ name, columns, parent, bound }) => ({
    name,
    columns,
    partition: parent === null ? undefined : `create table if not exists ${name} partition of ${parent} ${bound}`,
  }))
}

/** Names tables of `public` without their schema, as PostgreSQL may have them in another. */
function nameOf(schema: string, table: string): string {
  return `case when ${schema} = 'public' then format('%I', ${table}) else format('%I.%I', ${schema}, ${table}) end`
}

/** Sorts tables so that each comes after those that it refers to. */
function sortByReferences(tables: readonly TableRow[]): readonly TableRow[] {
  const sorted = new Set<TableRow>()
  const visit = (table: TableRow, path: ReadonlySet<TableRow>): void => {
    if (sorted.has(table) || path.has(table)) return
    const others = tables.filter(({ name }) => table.refersTo.includes(name))
    for (const other of others) visit(other, new Set([...path, table]))
    sorted.add(table)
  }
  for (const table of tables) visit(table, new Set())
  return [...sorted]
}
