import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { Pool, type PoolClient, type QueryResult } from 'pg'
import type { BowlineError } from 'bowline/kit/errors'
import { Semaphore } from '../kit/semaphore.ts'
import { columnTypes, valueTypes } from './column-types.ts'
import { DatabaseHosts } from './database-hosts.ts'
import { HangGuard, type HangGuardOptions } from './hang-guard.ts'
import { idleTransactionMs as defaultIdleMs, limitSession } from './session-settings.ts'
import type { ConnectionCounts, RawDatabase, StoreLog } from './store.ts'
import { assertPrimary, createPrimaryClient, hostOptions, type PrimaryClient } from './primary-client.ts'
import { isOutage, isOutOfConnections, storeUnavailable } from './unavailable.ts'

/** Options of `ResilientPool`. */
export interface PostgresPoolOptions extends HangGuardOptions {
  /** Maximum connections. */
  readonly connections: number
  /**
   * Milliseconds without a statement after which PostgreSQL rolls back a transaction. 0: no limit.
   * Default: 10000.
   */
  readonly idleTransactionMs?: number | undefined
  readonly log: StoreLog | undefined
}

/** A connection in use. */
interface Connection {
  readonly client: PoolClient
  readonly release: (isDiscarded: boolean) => void
}

/** Maximum milliseconds to wait for a connection. */
const connectMs = 10_000

/** Milliseconds for which the pool opens no new connections after PostgreSQL has refused one. */
const capMs = 5000

const minBackoffMs = 50
const maxBackoffMs = 1000

/**
 * Connection pool that survives failures of PostgreSQL. A lost or hanging connection only fails its
 * own statements, with STORE_UNAVAILABLE. If PostgreSQL has no connections left, callers wait for
 * those of the pool. If there are at least two, one is reserved for heartbeats.
 */
export class ResilientPool implements PostgresPool {
  readonly options = {}
  readonly #pool: Pool
  readonly #connections: number
  readonly #idleTransactionMs: number
  readonly #guard: HangGuard
  readonly #hosts: DatabaseHosts
  readonly #open = new Set<PoolClient>()
  readonly #shared = new Semaphore(() => this.#sharedLimit)
  #capTimer: NodeJS.Timeout | undefined
  #ending: Promise<void> | undefined

  constructor(options: PostgresPoolOptions) {
    const { databaseUrl, connections, log, idleTransactionMs = defaultIdleMs } = options
    this.#connections = connections
    this.#idleTransactionMs = idleTransactionMs
    const hosts = new DatabaseHosts(databaseUrl)
    this.#hosts = hosts
    this.#guard = new HangGuard({ ...options, currentUrl: () => hosts.url })
    this.#pool = new Pool({
      ...hostOptions(hosts, connectMs),
      Client: createPrimaryClient(hosts),
      verify: (client: PoolClient, done: (error?: Error) => void) => {
        this.#prepare(client).then(() => done(), done)
      },
      max: connections,
      keepAlive: true,
      application_name: 'bowline',
      allowExitOnIdle: true,
      types: valueTypes,
    })
    const onLost = (error: Error): void => log?.warn({ err: error }, 'A connection to PostgreSQL was lost')
    this.#pool.on('error', onLost)
    this.#pool.on('connect', (client) => this.#watch(client))
  }

  /** Acquires a connection. Throws STORE_UNAVAILABLE. */
  async connect(): Promise<PostgresPoolClient> {
    return this.#guarded(await this.#acquireShared())
  }

  /** The pool for heartbeats, which also use the reserved connection. */
  readonly heartbeats: PostgresPool = {
    options: {},
    connect: async () => {
      const client = await this.#acquire()
      return this.#guarded({ client, release: (isDiscarded) => client.release(isDiscarded) })
    },
    end: async () => this.end(),
  }

  #guarded({ client, release }: Connection): PostgresPoolClient {
    let lost: BowlineError | undefined
    const query = async (text: string, parameters: readonly unknown[] = []): Promise<QueryResult> => {
      // A rollback would wait for the statement that PostgreSQL never responded to.
      if (lost !== undefined) throw lost
      try {
        const values = [...parameters]
        return await this.#guard.wait(client.query({ text, values, types: columnTypes }))
      } catch (error) {
        if (!isOutage(error)) throw error
        lost = storeUnavailable(error)
        throw lost
      }
    }
    return {
      // The other overload of `query` accepts cursors, which Kysely uses only if one is configured.
      query: query as unknown as PostgresPoolClient['query'],
      // A failed connection is in an unknown state and must not be reused.
      release: (isDiscarded) => release(lost !== undefined || isDiscarded === true),
    }
  }

  /** Runs SQL text, each call on its own connection. */
  readonly raw: RawDatabase = {
    query: async <Row>(text: string, parameters: readonly unknown[] = []) => {
      const [{ rows }] = await this.#run(text, parameters)
      return { rows: rows as Row[] }
    },
    exec: async (text) => this.#run(text),
  }

  /** Counts the connections of the pool. */
  counts(): ConnectionCounts {
    const { totalCount: open, idleCount: idle, waitingCount } = this.#pool
    return { max: this.#connections, open, idle, waiting: waitingCount + this.#shared.waiting }
  }

  /** Closes all connections. Idempotent. */
  async end(): Promise<void> {
    clearTimeout(this.#capTimer)
    this.#ending ??= this.#pool.end()
    await this.#ending
  }

  async #run(text: string, parameters?: readonly unknown[]): Promise<[QueryResult, ...QueryResult[]]> {
    const { client, release } = await this.#acquireShared()
    let isDone = false
    try {
      // SQL without parameters may be a migration or maintenance of the queue tables, which takes
      // long.
      const pending: Promise<unknown> = client.query(text, parameters && [...parameters])
      const result = await this.#guard.wait(pending, { isLong: parameters === undefined })
      isDone = true
      return (Array.isArray(result) ? result : [result]) as [QueryResult, ...QueryResult[]]
    } catch (error) {
      throw isOutage(error) ? storeUnavailable(error) : error
    } finally {
      // Discards the connection after an error: it may be left inside a transaction.
      release(!isDone)
    }
  }

  /** The number of connections without the reserved one. */
  get #sharedLimit(): number {
    return Math.max(1, this.#pool.options.max - 1)
  }

  async #acquireShared(): Promise<Connection> {
    const isFull = this.#shared.acquired >= this.#sharedLimit
    const limit = isFull ? AbortSignal.timeout(connectMs) : undefined
    const slot = await this.#shared.acquire(limit).catch((error: unknown) => {
      throw storeUnavailable(error)
    })
    try {
      const client = await this.#acquire()
      const release = (isDiscarded: boolean): void => {
        client.release(isDiscarded)
        slot[Symbol.dispose]()
      }
      return { client, release }
    } catch (error) {
      slot[Symbol.dispose]()
      throw error
    }
  }

  async #acquire(): Promise<PoolClient> {
    const endMs = performance.now() + connectMs
    for (let backoffMs = minBackoffMs; ; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
      try {
        return await this.#pool.connect()
      } catch (error) {
        if (this.#pool.ending) throw error
        const hasOthers = this.#hosts.count > 1
        const isFull = isOutOfConnections(error)
        if (!(isFull || hasOthers) || performance.now() + backoffMs > endMs) throw storeUnavailable(error)
        if (isFull) this.#capConnections()
        await sleep(backoffMs)
      }
    }
  }

  /** Checks and limits a new connection. */
  async #prepare(client: PoolClient): Promise<void> {
    await assertPrimary(client, this.#hosts, (client as unknown as PrimaryClient).url)
    await limitSession(client, this.#idleTransactionMs)
  }

  #watch(client: PoolClient): void {
    this.#open.add(client)
    client.once('end', () => this.#open.delete(client))
    // The pool only handles errors of idle connections. An unhandled error of one in use would
    // crash the process. Its statements fail separately.
    client.on('error', () => undefined)
  }

  /** Limits the pool to its open connections for a while. */
  #capConnections(): void {
    this.#pool.options.max = Math.max(1, this.#open.size)
    this.#capTimer ??= setTimeout(() => {
      this.#capTimer = undefined
      this.#pool.options.max = this.#connections
    }, capMs).unref()
  }
}
