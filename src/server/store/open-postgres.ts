import type { Kysely } from 'kysely'
import { Pool, types } from 'pg'
import { BowlineError } from '../../kit/errors.ts'
import { migrate } from './migrate.ts'
import type { Store, StoreLog } from './store.ts'
import { queriesOf } from './queries-of.ts'
import type { Database } from './schema.ts'

/** The type number of bigint. */
const int8 = 20

/** Reads bigint as number, as the embedded database does: no count or credit of ours passes 2^53. */
const getTypeParser = ((oid, format) =>
  (oid as number) === int8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser

/** How a PostgreSQL database is reached. */
interface PostgresOptions {
  readonly databaseUrl: string
  readonly log: StoreLog | undefined
}

/** Opens and migrates a PostgreSQL database. Throws `STORE_FAILED` when it cannot be reached. */
export const openPostgres = async (options: PostgresOptions): Promise<Omit<Store, 'ping'>> => {
  await using undo = new AsyncDisposableStack()
  const { db } = undo.use(await connectPostgres(options))
  await migrate(db)
  const owned = undo.move()
  return { kind: 'postgres', db, raw: undefined, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Connects to a PostgreSQL database and leaves its schema as it is. Throws `STORE_FAILED` when it cannot be reached. */
export async function connectPostgres(
  options: PostgresOptions,
): Promise<AsyncDisposable & { readonly db: Kysely<Database> }> {
  const pool = new Pool({
    connectionString: options.databaseUrl,
    max: 16,
    connectionTimeoutMillis: 10_000,
    application_name: 'bowline',
    allowExitOnIdle: true,
    types: { getTypeParser },
  })
  // The pool replaces the connection; unheard, the event would end the process.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'An idle connection to PostgreSQL was lost'))
  await using undo = new AsyncDisposableStack()
  const db = queriesOf(pool)
  undo.defer(() => db.destroy())
  await connectOnce(pool)
  const owned = undo.move()
  return { db, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const connectOnce = async (pool: Pool): Promise<void> => {
  try {
    ;(await pool.connect()).release()
  } catch (cause) {
    // The address holds a password, so the message has only what PostgreSQL or the socket said.
    throw new BowlineError('STORE_FAILED', `PostgreSQL cannot be reached: ${describe(cause)}`, {
      cause,
      hint: 'Check `DATABASE_URL`, and that the server is up.',
    })
  }
}

/** A refused `localhost` is an AggregateError with an empty message. */
const describe = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(String).join('; ')
  return cause instanceof Error ? cause.message : String(cause)
}
