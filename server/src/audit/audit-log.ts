import type { Logger } from 'pino'
import type { AuditAction } from 'bowline/contract/audit-actions'
import { dayMs } from 'bowline/kit/day-ms'
import { uuidV7 } from 'bowline/kit/ids'
import { readCursor, writeCursor } from '../kit/page-cursor.ts'
import { runEvery } from '../kit/run-every.ts'
import { databaseTimeAgo } from '../store/database-time.ts'
import type { Store } from '../store/store.ts'
import { deleteOldAuditRows, insertAuditRows, listAuditRows, type AuditFilter, type AuditRow } from './audit-queries.ts'

/** Caller of a recorded action. */
export interface AuditCaller {
  /** Its key. Absent: it has no valid one. */
  readonly keyId?: string | undefined
  readonly address: string | undefined
  readonly requestId: string | undefined
}

/** An action to record. It must not contain keys and secrets. */
export interface AuditEvent {
  readonly action: AuditAction
  /** Message of the line in the log of the server. */
  readonly message: string
  /** Team that was changed. */
  readonly teamId?: string | undefined
  /** Default: the server itself. */
  readonly by?: AuditCaller | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** A page of the audit log, newest first. */
export interface AuditPage {
  readonly rows: readonly AuditRow[]
  /** Cursor of the next page. `undefined` on the last one. */
  readonly cursor: string | undefined
}

/** Query of the audit log. `cursor` is unparsed. */
export type AuditQuery = Omit<AuditFilter, 'after'> & { readonly cursor?: string | undefined }

/** Dependencies of the audit log. */
export interface AuditLogDeps {
  readonly store: Store
  readonly log: Logger
  /** Days that entries are kept. */
  readonly keepDays: number
  readonly onError: (error: unknown, action: string) => void
}

const sweepEveryMs = 3_600_000

/**
 * Log of changes to keys, teams, profiles, secrets and other teams' sessions, and of failed
 * authentication: in the database, and as lines with `audit` in the log of the server. Expired
 * entries are deleted at the start and hourly.
 */
export class AuditLog implements AsyncDisposable {
  readonly #deps: AuditLogDeps
  readonly #sweep: AsyncDisposable
  readonly #writing = new Set<Promise<void>>()

  constructor(deps: AuditLogDeps) {
    this.#deps = deps
    const { store, keepDays, onError } = deps
    const sweep = async (): Promise<void> =>
      deleteOldAuditRows(store.db, await databaseTimeAgo(store.db, keepDays * dayMs))
    this.#sweep = runEvery(sweepEveryMs, sweep, {
      onError: (error) => onError(error, 'deleting old entries of the audit log'),
      isImmediate: true,
    })
  }

  /**
   * Records an action. Resolves once it is stored. An entry that cannot be stored is only in the
   * log of the server, since what it reports has happened.
   */
  async record({ action, message, teamId, by, details = {} }: AuditEvent): Promise<void> {
    const { store, log, onError } = this.#deps
    const caller = { byKeyId: by?.keyId, address: by?.address, reqId: by?.requestId }
    log.info({ audit: action, ...details, teamId, ...caller }, message)
    const row = {
      id: uuidV7(),
      action,
      teamId: teamId ?? null,
      byKeyId: by?.keyId ?? null,
      address: by?.address ?? null,
      requestId: by?.requestId ?? null,
      details,
      createdAt: new Date(),
    }
    const write = insertAuditRows(store.db, [row]).catch((error: unknown) => onError(error, 'writing the audit log'))
    this.#writing.add(write)
    await write.finally(() => this.#writing.delete(write))
  }

  /** Returns a page. Throws BAD_REQUEST if the cursor is malformed. */
  async list({ cursor, ...filter }: AuditQuery): Promise<AuditPage> {
    const after = readCursor(cursor)
    // One extra row shows whether there is a next page.
    const found = await listAuditRows(this.#deps.store.db, { ...filter, after, limit: filter.limit + 1 })
    const rows = found.slice(0, filter.limit)
    const last = found.length > filter.limit ? rows.at(-1) : undefined
    return { rows, cursor: last && writeCursor(last) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweep[Symbol.asyncDispose]()
    await Promise.all(this.#writing)
  }
}
