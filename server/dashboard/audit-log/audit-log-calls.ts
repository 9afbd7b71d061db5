import type { AuditAction } from 'bowline/contract/audit-actions'
import type { AuditEntry } from 'bowline/contract/audit-log'
import type { Api } from '../api/api.ts'
import { spanOf } from '../components/time-span.ts'
import type { PageOfRows } from '../frame/use-pages.ts'

export type { AuditEntry } from 'bowline/contract/audit-log'

interface AuditFilters {
  /** Empty for all. */
  readonly action: string
  /** Name of a time range. */
  readonly range: string
}

const pageSize = 50

/** Reads a page of the audit log, newest first. */
export async function readAuditLog(
  api: Api,
  { action, range }: AuditFilters,
  cursor: string | undefined,
  signal?: AbortSignal,
): Promise<PageOfRows<AuditEntry>> {
  const query = {
    action: action === '' ? undefined : (action as AuditAction),
    ...spanOf(range),
    cursor,
    limit: pageSize,
  }
  const page = await api.call('auditLog', { query }, signal)
  return { rows: page.data, cursor: page.cursor ?? null }
}

/** Names the key of the caller. Actions of the server and failed authentication have none. */
export function nameOfCaller({ by, action }: AuditEntry): string {
  if (by !== undefined) return by.name ?? by.keyId
  return action === 'auth.failed' ? 'unknown' : 'server'
}

/** The facts of an entry as text, such as `name: ci, role: member`. */
export function describeDetails({ details }: AuditEntry): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(', ')
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
