import type { Db } from 'pg-boss'
import type { RawDatabase } from '../store/store.ts'

/** Adapts the store's database to pg-boss, which then shares the server's connections. */
export function bossDatabase(raw: RawDatabase): Db {
  return {
    executeSql: async (text, values) => {
      if (values !== undefined && values.length > 0) return raw.query(text, values)
      // SQL without parameters may contain several statements, and any of them may return rows.
      return { rows: (await raw.exec(text)).flatMap(({ rows }) => rows) }
    },
  }
}
