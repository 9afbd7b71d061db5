import { z } from 'zod'
import { auditActions } from './audit-actions.ts'

/** Query of `GET /v2/audit-log`. */
export const auditLogQuery = z.object({
  /** Only this action, such as `key.created`. */
  action: z.enum(auditActions).optional(),
  /** Only changes to this team, by name or id. */
  team: z.string().min(1).max(100).optional(),
  /** Only entries from this time or later. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** Only entries from before this time. */
  to: z.iso.datetime({ offset: true }).optional(),
  /** Maximum number of entries, 1 to 1000. Default: 100. */
  limit: z.coerce.number<number | string>().int().min(1).max(1000).default(100),
  /** `cursor` of the previous page. */
  cursor: z.string().max(200).optional(),
})

/** An entry of the audit log. It never contains a key or a secret. */
export const auditEntry = z.looseObject({
  id: z.string(),
  /** Such as `key.created`. */
  action: z.string(),
  createdAt: z.string(),
  /** Name of the team that was changed. */
  team: z.string().optional(),
  /** Key of the caller. Absent for actions of the server and for failed authentication. */
  by: z.looseObject({ keyId: z.string(), name: z.string().optional(), team: z.string().optional() }).optional(),
  /** IP address of the caller. */
  address: z.string().optional(),
  /** `x-request-id` of the call. */
  requestId: z.string().optional(),
  /** Facts about the action, such as the id of the key. */
  details: z.record(z.string(), z.unknown()),
})

/** Response of `GET /v2/audit-log`, newest first. */
export const auditLogResponse = z.looseObject({
  success: z.literal(true),
  data: z.array(auditEntry),
  /** Requests the next page. Absent on the last one. */
  cursor: z.string().optional(),
})

/**
 * An entry of the audit log.
 *
 * @example
 * ```ts
 * import type { AuditEntry } from 'bowline'
 *
 * function describe({ createdAt, action, by, team }: AuditEntry): string {
 *   return `${createdAt} ${action} of ${team ?? 'all teams'} by ${by?.name ?? 'the server'}`
 * }
 * ```
 */
export type AuditEntry = z.output<typeof auditEntry>
export type AuditLogQuery = z.input<typeof auditLogQuery>
