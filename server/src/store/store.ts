import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** Logger of the store. Compatible with pino. */
export interface StoreLog {
  readonly warn: (facts: Readonly<Record<string, unknown>>, message: string) => void
}

/** Options of `openStore`. */
export interface StoreOptions {
  /** Directory of the embedded database, for this server only. Created if needed. */
  readonly dataDir: string
  /** `postgres://…` URL of PostgreSQL 13 or newer. Default: the embedded database. */
  readonly databaseUrl?: string | undefined
  /** Maximum connections to PostgreSQL. Default: 8. */
  readonly databaseConnections?: number | undefined
  /**
   * Directory that caches an empty, migrated database for new data directories.
   * Default: `~/.cache/bowline`.
   */
  readonly cacheDir?: string | undefined
  /** Called once if the embedded database crashes. The process should then exit. Default: none. */
  readonly onFatal?: ((error: Error) => void) | undefined
  /** Logs warnings. Default: none. */
  readonly log?: StoreLog | undefined
}

/**
 * Runs SQL text, for libraries that bring their own. In the embedded store, it waits for running
 * transactions.
 */
export interface RawDatabase {
  readonly query: <Row>(text: string, parameters?: readonly unknown[]) => Promise<{ rows: Row[] }>
  /** Runs several statements in one transaction. */
  readonly exec: (text: string) => Promise<{ rows: Record<string, unknown>[] }[]>
}

/** Connections of the pool. The embedded database has one. */
export interface ConnectionCounts {
  readonly max: number
  readonly open: number
  /** Open connections that nothing uses. */
  readonly idle: number
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number
}

/** An open, migrated database. Disposing waits for running statements, then closes it. */
export interface Store extends AsyncDisposable {
  readonly kind: 'pglite' | 'postgres'
  readonly db: Kysely<Database>
  /**
   * Runs the statements that keep this server alive: heartbeats and renewals of leases. One
   * connection to PostgreSQL is reserved for them, so that they are in time while requests use all
   * others. In the embedded store, and with two connections, the same as `db`.
   */
  readonly heartbeatDb: Kysely<Database>
  readonly raw: RawDatabase
  /**
   * Calls back with the payload of each notification on a channel, and without a payload when some
   * may have been missed. Absent in the embedded store, which has a single process.
   */
  readonly listen?: ((channel: string, onNotification: (payload?: string) => void) => AsyncDisposable) | undefined
  /**
   * Copies the files of the embedded database to a new folder. Statements wait until it is done.
   * Throws DATA_DIR_UNUSABLE if the disk has no space for the copy. Absent in PostgreSQL.
   */
  readonly copyTo?: ((folder: string) => Promise<void>) | undefined
  readonly connections: () => ConnectionCounts
  /** Resolves when the database responds. Aborting only stops the wait. */
  readonly ping: (signal?: AbortSignal) => Promise<void>
}
