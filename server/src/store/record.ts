/** A readonly row with `undefined` instead of `null`. */
export type Recorded<Row> = {
  readonly [Column in keyof Row]: null extends Row[Column] ? Exclude<Row[Column], null> | undefined : Row[Column]
}

/** Replaces `null` by `undefined` in a row. */
export function toRecord<Row extends object>(row: Row): Recorded<Row> {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value ?? undefined])) as Recorded<Row>
}
