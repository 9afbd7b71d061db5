import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** The part of a logger the store uses; a `pino` logger is one. */
export interface StoreLog {
  readonly warn: (facts: Readonly<Record<string, unknown>>, message: string) => void
}

/** Where the data live and who hears of trouble. */
export interface StoreOptions {
  /** Directory of this server alone. Made when absent. Holds the embedded database. */
  readonly dataDir: string
  /** `postgres://…`: use this PostgreSQL (13 or newer) and no embedded one. Default: embedded. */
  readonly databaseUrl?: string | undefined
  /** Most connections to that PostgreSQL. Default 10. */
  readonly databaseConnections?: number | undefined
  /** Directory that keeps an empty, migrated database for the next first start. Default `~/.cache/bowline`. */
  readonly cacheDir?: string | undefined
  /** Called once if the embedded database dies after the start: the process had better exit. Default: nothing. */
  readonly onFatal?: ((error: Error) => void) | undefined
  /** Hears of what failed without stopping anything. Default: silence. */
  readonly log?: StoreLog | undefined
}

/** Statements as text, for libraries that bring their own. They wait for running transactions. */
export interface RawDatabase {
  readonly query: <Row>(text: string, parameters?: readonly unknown[]) => Promise<{ rows: Row[] }>
  /** Runs several statements as one unit of work. */
  readonly exec: (text: string) => Promise<{ rows: Record<string, unknown>[] }[]>
}

/** An open database with the newest schema. Disposing waits for what runs, then closes it. */
export interface Store extends AsyncDisposable {
  readonly kind: 'pglite' | 'postgres'
  readonly db: Kysely<Database>
  readonly raw: RawDatabase
  /**
   * Calls back with the payload of each notification on a channel, and without one when some may have been missed.
   * Absent in the embedded database, which nobody else can notify.
   */
  readonly listen?: ((channel: string, onNotification: (payload?: string) => void) => AsyncDisposable) | undefined
  /** Resolves when the database answers. Aborting stops the wait alone. */
  readonly ping: (signal?: AbortSignal) => Promise<void>
}
