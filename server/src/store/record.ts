/** A row as the rest of the server sees it: absent values are undefined, as everywhere else, and nothing is writable. */
export type Recorded<Row> = {
  readonly [Column in keyof Row]: null extends Row[Column] ? Exclude<Row[Column], null> | undefined : Row[Column]
}

/** Turns the nulls of a row into undefined. */
export function toRecord<Row extends object>(row: Row): Recorded<Row> {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value ?? undefined])) as Recorded<Row>
}
