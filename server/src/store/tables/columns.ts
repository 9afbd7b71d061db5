import type { ColumnType } from 'kysely'

/** Timestamp column with a default in the database. */
export type Timestamp = ColumnType<Date, Date | undefined, Date>

/** Nullable column. */
export type Nullable<Value> = ColumnType<Value | null, Value | null | undefined, Value | null>
