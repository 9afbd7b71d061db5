import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { ConnectionCounts, RawDatabase } from './store.ts'
import type { Pglite } from './pglite.ts'

/** Access to the embedded database for the query builder and for libraries with their own SQL. */
export interface SingleConnection {
  readonly pool: PostgresPool
  readonly raw: RawDatabase
  /** Writes all changes to the files of the database, and runs `work` while none of them change. */
  readonly whileUnchanged: (work: () => Promise<void>) => Promise<void>
  readonly connections: () => ConnectionCounts
}

/**
 * Exposes the embedded database as a pool of one connection. A caller has it exclusively until it
 * releases it, so that transactions do not mix. Callers are served in order.
 */
export function createSingleConnection(lite: Pglite): SingleConnection {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  let busy = 0

  const acquire = async (): Promise<Disposable> => {
    const released = Promise.withResolvers<void>()
    const before = last
    last = released.promise
    waiting += 1
    await before
    waiting -= 1
    busy = 1
    return {
      [Symbol.dispose]: () => {
        busy = 0
        released.resolve()
      },
    }
  }

  const connect = async (): Promise<PostgresPoolClient> => {
    const turn = await acquire()
    // `JsonTable` parses JSON columns. Libraries with their own SQL get values.
    const query = (sql: string, parameters: readonly unknown[] = []): Promise<unknown> =>
      lite.query(sql, parameters, { keepsJson: true })
    return {
      processID: 1,
      // The other overload of `query` accepts cursors, which Kysely uses only if one is configured.
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
        // Ends a transaction that the failed statements left open. Otherwise the next caller would
        // continue in it.
        await lite.exec('rollback')
        throw error
      }
    },
  }

  const whileUnchanged = async (work: () => Promise<void>): Promise<void> => {
    using _turn = await acquire()
    await lite.exec('checkpoint')
    await work()
  }

  // `end` does nothing: the owner closes the thread.
  const connections = (): ConnectionCounts => ({ max: 1, open: 1, idle: 1 - busy, waiting })
  return { pool: { connect, end: async () => undefined, options: {} }, raw, connections, whileUnchanged }
}
