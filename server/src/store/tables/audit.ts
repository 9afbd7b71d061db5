import type { JsonText } from './columns.ts'

/** An entry of the audit log. */
export interface AuditEventTable {
  readonly id: string
  readonly action: string
  /** Team that was changed. Null: none, or that of no single team. */
  readonly teamId: string | null
  /** Key of the caller. Null: the server itself, or a caller without a valid key. */
  readonly byKeyId: string | null
  /** IP address of the caller. Null: the server itself. */
  readonly address: string | null
  readonly requestId: string | null
  /** Facts about the action, without keys and secrets. */
  readonly details: JsonText
  readonly createdAt: Date
}
