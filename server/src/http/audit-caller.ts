import type { AuditCaller } from '../audit/audit-log.ts'
import { originOf } from './request-origin.ts'
import type { Call } from './register.ts'

/** Returns the caller of a call for the audit log. */
export function callerOf({ key, raw }: Pick<Call, 'key' | 'raw'>): AuditCaller {
  return { keyId: key.id, ...originOf(raw.raw) }
}
