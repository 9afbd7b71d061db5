/** A readonly table row with `undefined` instead of `null`. */
export type Row<Columns> = {
  readonly [Name in keyof Columns]: null extends Columns[Name]
    ? Exclude<Columns[Name], null> | undefined
    : Columns[Name]
}

/** Replaces `null` by `undefined` in a row. */
export function toRow<Columns extends object>(columns: Columns): Row<Columns> {
  return Object.fromEntries(
    Object.entries(columns).map(([column, value]) => [column, value ?? undefined]),
  ) as Row<Columns>
}
