import type { AuditAction } from '../contract/audit-actions.ts'
import type { AuditEntry } from '../contract/audit-log.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/**
 * Filter and page size of `bowline.auditLog()`.
 *
 * @example
 * ```ts
 * import { Bowline, type AuditLogOptions } from 'bowline'
 *
 * const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000)
 * const options: AuditLogOptions = { action: 'auth.failed', from: yesterday }
 * for await (const { createdAt, details } of new Bowline().auditLog(options))
 *   console.log(createdAt, details)
 * ```
 */
export interface AuditLogOptions extends Abortable {
  /** Only this action, such as `key.created`. Default: all. */
  readonly action?: AuditAction | undefined
  /** Only changes to this team, by name or id. */
  readonly team?: string | undefined
  /** Only entries from this time or later. */
  readonly from?: Date | undefined
  /** Only entries from before this time. */
  readonly to?: Date | undefined
  /** Entries fetched per request, 1 to 1000. Default: 100. */
  readonly pageSize?: number | undefined
}

/**
 * Lists changes to keys, teams, profiles and secrets, sessions that an admin has ended, and failed
 * authentication, newest first. Requires an admin key. Pages are fetched as the iteration proceeds.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * for await (const { createdAt, team, by } of bowline.auditLog({ action: 'key.created' })) {
 *   console.log(createdAt, team, by?.name)
 * }
 * ```
 */
export type ListAuditLog = (options?: AuditLogOptions) => AsyncIterable<AuditEntry>

/** Creates `bowline.auditLog`. */
export function createAuditLog(call: Call): ListAuditLog {
  return async function* ({ action, team, from, to, pageSize: limit = 100, ...requestOptions } = {}) {
    const filter = {
      ...(action === undefined ? {} : { action }),
      ...(team === undefined ? {} : { team }),
      ...(from === undefined ? {} : { from: from.toISOString() }),
      ...(to === undefined ? {} : { to: to.toISOString() }),
    }
    let cursor: string | undefined
    do {
      const query = { ...filter, limit, ...(cursor === undefined ? {} : { cursor }) }
      const page = await call('auditLog', { query }, requestOptions)
      yield* page.data
      cursor = page.cursor
    } while (cursor !== undefined)
  }
}
