import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { RawDatabase } from './store.ts'
import type { Pglite } from './pglite.ts'

/** The embedded database for the query builder and for libraries with statements of their own. */
export interface SingleConnection {
  readonly pool: PostgresPool
  readonly raw: RawDatabase
}

/**
 * The embedded database as a pool of one connection: whoever has connected is alone until it releases, so that a
 * transaction holds only statements of its own. Callers are served in the order of asking.
 */
export function createSingleConnection(lite: Pglite): SingleConnection {
  let last: Promise<void> = Promise.resolve()

  const acquire = async (): Promise<Disposable> => {
    const released = Promise.withResolvers<void>()
    const before = last
    last = released.promise
    await before
    return { [Symbol.dispose]: () => released.resolve() }
  }

  const connect = async (): Promise<PostgresPoolClient> => {
    const turn = await acquire()
    const query = (sql: string, parameters: readonly unknown[] = []): Promise<unknown> => lite.query(sql, parameters)
    return {
      processID: 1,
      // The other form of `query` takes cursors, which the dialect only uses when one is configured.
      query: query as PostgresPoolClient['query'],
      release: () => turn[Symbol.dispose](),
    }
  }

  const raw: RawDatabase = {
    query: async <Row>(text: string, parameters: readonly unknown[] = []) => {
      using _turn = await acquire()
      const { rows } = await lite.query(text, parameters)
      return { rows: rows as unknown as Row[] }
    },
    exec: async (text) => {
      using _turn = await acquire()
      try {
        const results = await lite.exec(text)
        return results.map(({ rows }) => ({ rows: [...rows] }))
      } catch (error) {
        // What it began it can no longer end, and the next in line would be inside of it.
        await lite.exec('rollback')
        throw error
      }
    },
  }

  // The thread is closed by its owner.
  return { pool: { connect, end: async () => undefined, options: {} }, raw }
}
