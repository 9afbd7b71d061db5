import type { ColumnType } from 'kysely'

/** A column the database fills unless told otherwise, and that is never changed by hand. */
export type Timestamp = ColumnType<Date, Date | undefined, Date>
/** A column that may be null. */
export type Nullable<Value> = ColumnType<Value | null, Value | null | undefined, Value | null>
