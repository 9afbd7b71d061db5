import type { Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { listen } from './listen.ts'
import { migrate } from './migrate.ts'
import { ResilientPool, type PostgresPoolOptions } from './postgres-pool.ts'
import type { ConnectionCounts, RawDatabase, Store, StoreLog } from './store.ts'
import { createQueryBuilder } from './create-query-builder.ts'
import type { Database } from './schema.ts'

/** Default pool size. Twelve servers fit into PostgreSQL's default limit of 100 connections. */
const defaultConnections = 8

/** Options of `openPostgres` and `connectPostgres`. */
interface PostgresOptions extends Pick<PostgresPoolOptions, 'maxStatementMs' | 'idleTransactionMs'> {
  readonly databaseUrl: string
  /** Maximum connections, at least 2. Default: 8. */
  readonly connections?: number | undefined
  readonly log: StoreLog | undefined
}

/** Opens and migrates a PostgreSQL database. Throws STORE_FAILED if it cannot be reached. */
export async function openPostgres(options: PostgresOptions): Promise<Omit<Store, 'ping'>> {
  const { databaseUrl, log } = options
  await migratePostgres(options)
  await using undo = new AsyncDisposableStack()
  const { db, heartbeatDb, raw, connections } = undo.use(await connectPostgres(options))
  const owned = undo.move()
  return {
    kind: 'postgres',
    db,
    heartbeatDb,
    raw,
    connections,
    listen: (channel, onNotification) => listen({ databaseUrl, channel, log }, onNotification),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/**
 * Migrates on separate connections without a statement timeout, as migrations of large tables take
 * long.
 */
async function migratePostgres({ databaseUrl, log }: PostgresOptions): Promise<void> {
  await using connection = await connectPostgres({ databaseUrl, connections: 2, log, maxStatementMs: Infinity })
  await migrate(connection.db)
}

/** A connected database. */
interface PostgresConnection extends AsyncDisposable {
  readonly db: Kysely<Database>
  readonly heartbeatDb: Kysely<Database>
  readonly raw: RawDatabase
  readonly connections: () => ConnectionCounts
}

/**
 * Connects to a PostgreSQL database without migrating it. Throws STORE_FAILED if it cannot be
 * reached.
 */
export async function connectPostgres(options: PostgresOptions): Promise<PostgresConnection> {
  const { connections = defaultConnections } = options
  await using undo = new AsyncDisposableStack()
  // One connection is for the listener.
  const pool = new ResilientPool({ ...options, connections: connections - 1 })
  // Kysely only ends pools that it has used.
  undo.defer(() => pool.end())
  const db = createQueryBuilder(pool)
  undo.defer(() => db.destroy())
  const heartbeatDb = createQueryBuilder(pool.heartbeats)
  undo.defer(() => heartbeatDb.destroy())
  await connectOnce(pool)
  const owned = undo.move()
  return {
    db,
    heartbeatDb,
    raw: pool.raw,
    connections: () => pool.counts(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function connectOnce(pool: ResilientPool): Promise<void> {
  try {
    ;(await pool.connect()).release()
  } catch (error) {
    const cause = error instanceof Error ? error.cause : error
    // The URL contains a password, so the message must not include it.
    throw new BowlineError('STORE_FAILED', `Failed to connect to PostgreSQL: ${describe(cause)}`, {
      cause,
      hint: 'Check `DATABASE_URL` and that PostgreSQL is running.',
    })
  }
}

/**
 * Describes a connection error. A refused `localhost` is an AggregateError with an empty message.
 */
function describe(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(String).join('; ')
  return messageOf(cause)
}
