import type { Db } from 'pg-boss'
import type { RawDatabase } from '../store/store.ts'

/** The database of the store as pg-boss wants it: it shares the connections of the server. */
export function bossDatabase(raw: RawDatabase): Db {
  return {
    executeSql: async (text, values) => {
      if (values !== undefined && values.length > 0) return raw.query(text, values)
      // Without parameters it may be several statements, and the rows may come from any of them.
      return { rows: (await raw.exec(text)).flatMap(({ rows }) => rows) }
    },
  }
}
