import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { Pool, types, type PoolClient, type QueryResult } from 'pg'
import type { BowlineError } from 'bowline/kit/errors'
import { HangGuard, type HangGuardOptions } from './hang-guard.ts'
import type { RawDatabase, StoreLog } from './store.ts'
import { isOutage, isOutOfConnections, storeUnavailable } from './unavailable.ts'

/** How a pool connects. */
export interface PostgresPoolOptions extends HangGuardOptions {
  /** Most connections at a time. */
  readonly connections: number
  readonly log: StoreLog | undefined
}

/** Longest wait for a connection. */
const connectMs = 10_000

/** How long the pool makes do with the connections it has after PostgreSQL refused another one. */
const capMs = 5000

const firstPauseMs = 50
const longestPauseMs = 1000

/**
 * A pool that outlives the faults of PostgreSQL. A connection that is lost fails its own statements alone, as
 * STORE_UNAVAILABLE, and so does a PostgreSQL that hangs. While it has no connection left, callers wait for those that
 * the pool has.
 */
export class ResilientPool implements PostgresPool {
  readonly options = {}
  readonly #pool: Pool
  readonly #connections: number
  readonly #guard: HangGuard
  readonly #open = new Set<PoolClient>()
  #capTimer: NodeJS.Timeout | undefined
  #ending: Promise<void> | undefined

  constructor(options: PostgresPoolOptions) {
    const { databaseUrl, connections, log } = options
    this.#connections = connections
    this.#guard = new HangGuard(options)
    this.#pool = new Pool({
      connectionString: databaseUrl,
      max: connections,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      application_name: 'bowline',
      allowExitOnIdle: true,
      types: { getTypeParser },
    })
    const onLost = (error: Error): void => log?.warn({ err: error }, 'A connection to PostgreSQL was lost')
    this.#pool.on('error', onLost)
    this.#pool.on('connect', (client) => this.#watch(client))
  }

  /** Takes a connection. Throws STORE_UNAVAILABLE. */
  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#take()
    let lost: BowlineError | undefined
    const query = async (text: string, parameters: readonly unknown[] = []): Promise<QueryResult> => {
      // A rollback would wait behind the statement that was never answered.
      if (lost !== undefined) throw lost
      try {
        return await this.#guard.wait(client.query(text, [...parameters]))
      } catch (error) {
        if (!isOutage(error)) throw error
        lost = storeUnavailable(error)
        throw lost
      }
    }
    return {
      // The other form of `query` takes cursors, which the dialect only uses when one is configured.
      query: query as unknown as PostgresPoolClient['query'],
      // What the connection was in the middle of is unknown: it is not used again.
      release: (isDiscarded) => client.release(lost !== undefined || isDiscarded === true),
    }
  }

  /** Statements as text, each on a connection of its own. */
  readonly raw: RawDatabase = {
    query: async <Row>(text: string, parameters: readonly unknown[] = []) => {
      const [{ rows }] = await this.#run(text, parameters)
      return { rows: rows as Row[] }
    },
    exec: async (text) => this.#run(text),
  }

  /** Closes all connections. A second call waits for the first. */
  async end(): Promise<void> {
    clearTimeout(this.#capTimer)
    this.#ending ??= this.#pool.end()
    await this.#ending
  }

  async #run(text: string, parameters?: readonly unknown[]): Promise<[QueryResult, ...QueryResult[]]> {
    const client = await this.#take()
    let isDone = false
    try {
      // Without parameters it may be what changes the tables of the queues, or tidies them.
      const answer: Promise<unknown> = client.query(text, parameters && [...parameters])
      const result = await this.#guard.wait(answer, { isLong: parameters === undefined })
      isDone = true
      return (Array.isArray(result) ? result : [result]) as [QueryResult, ...QueryResult[]]
    } catch (error) {
      throw isOutage(error) ? storeUnavailable(error) : error
    } finally {
      // Several statements may have begun a transaction that nobody can end any more.
      client.release(!isDone)
    }
  }

  async #take(): Promise<PoolClient> {
    const endMs = performance.now() + connectMs
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await this.#pool.connect()
      } catch (error) {
        if (this.#pool.ending) throw error
        if (!isOutOfConnections(error) || performance.now() + pauseMs > endMs) throw storeUnavailable(error)
        this.#capConnections()
        await sleep(pauseMs)
      }
    }
  }

  #watch(client: PoolClient): void {
    this.#open.add(client)
    client.once('end', () => this.#open.delete(client))
    // The pool listens to idle connections alone. Unheard, the error of one in use would end the process: its
    // statements fail by themselves.
    client.on('error', () => undefined)
  }

  /** Has callers wait for the connections that the pool has, for a while. */
  #capConnections(): void {
    this.#pool.options.max = Math.max(1, this.#open.size)
    this.#capTimer ??= setTimeout(() => {
      this.#capTimer = undefined
      this.#pool.options.max = this.#connections
    }, capMs).unref()
  }
}

/** The type number of bigint. */
const int8 = 20

/** Reads bigint as number, as the embedded database does: no count or credit of ours passes 2^53. */
const getTypeParser = ((oid, format) =>
  (oid as number) === int8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser
