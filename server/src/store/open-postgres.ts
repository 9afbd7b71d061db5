import type { Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import type { HangGuardOptions } from './hang-guard.ts'
import { listen } from './listen.ts'
import { migrate } from './migrate.ts'
import { ResilientPool } from './postgres-pool.ts'
import type { RawDatabase, Store, StoreLog } from './store.ts'
import { createQueryBuilder } from './create-query-builder.ts'
import type { Database } from './schema.ts'

/** Connections of a server that sets no number: nine servers fit into the 100 that PostgreSQL allows by default. */
const defaultConnections = 10

/** How a PostgreSQL database is reached. */
interface PostgresOptions extends Pick<HangGuardOptions, 'maxStatementMs'> {
  readonly databaseUrl: string
  /** Most connections at a time, at least 2. Default 10. */
  readonly connections?: number | undefined
  readonly log: StoreLog | undefined
}

/** Opens and migrates a PostgreSQL database. Throws `STORE_FAILED` when it cannot be reached. */
export async function openPostgres(options: PostgresOptions): Promise<Omit<Store, 'ping'>> {
  const { databaseUrl, log } = options
  await migratePostgres(options)
  await using undo = new AsyncDisposableStack()
  const { db, raw } = undo.use(await connectPostgres(options))
  const owned = undo.move()
  return {
    kind: 'postgres',
    db,
    raw,
    listen: (channel, onNotification) => listen({ databaseUrl, channel, log }, onNotification),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Brings the schema up to date, on a connection of its own: a step of it may take as long as large tables need. */
async function migratePostgres({ databaseUrl, log }: PostgresOptions): Promise<void> {
  await using connection = await connectPostgres({ databaseUrl, connections: 2, log, maxStatementMs: Infinity })
  await migrate(connection.db)
}

/** Connects to a PostgreSQL database and leaves its schema as it is. Throws `STORE_FAILED` when it cannot be reached. */
export async function connectPostgres(
  options: PostgresOptions,
): Promise<AsyncDisposable & { readonly db: Kysely<Database>; readonly raw: RawDatabase }> {
  const { connections = defaultConnections } = options
  await using undo = new AsyncDisposableStack()
  // One is left for the listener.
  const pool = new ResilientPool({ ...options, connections: connections - 1 })
  // The query builder only ends a pool that it has used.
  undo.defer(() => pool.end())
  const db = createQueryBuilder(pool)
  undo.defer(() => db.destroy())
  await connectOnce(pool)
  const owned = undo.move()
  return { db, raw: pool.raw, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function connectOnce(pool: ResilientPool): Promise<void> {
  try {
    ;(await pool.connect()).release()
  } catch (error) {
    const cause = error instanceof Error ? error.cause : error
    // The address holds a password, so the message has only what PostgreSQL or the socket said.
    throw new BowlineError('STORE_FAILED', `PostgreSQL cannot be reached: ${describe(cause)}`, {
      cause,
      hint: 'Check `DATABASE_URL`, and that the server is up.',
    })
  }
}

/** A refused `localhost` is an AggregateError with an empty message. */
function describe(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(String).join('; ')
  return cause instanceof Error ? cause.message : String(cause)
}
