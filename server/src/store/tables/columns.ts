import type { ColumnType } from 'kysely'

/** Timestamp column with a default in the database. */
export type Timestamp = ColumnType<Date, Date | undefined, Date>

/** Nullable column. */
export type Nullable<Value> = ColumnType<Value | null, Value | null | undefined, Value | null>

declare const isJson: unique symbol

/** JSON text of a column. Only a `JsonTable` reads and writes it. */
export type JsonText = string & { readonly [isJson]: true }
