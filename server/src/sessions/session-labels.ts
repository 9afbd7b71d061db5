import { sessionMetadata } from 'bowline/contract/session-options'
import type { JsonText } from '../store/tables/columns.ts'
import { isUnreadable, jsonb, JsonTable, type OnUnreadable } from '../store/tables/json-table.ts'
import type { SessionRow } from '../store/tables/sessions.ts'

const sessions = new JsonTable('session', { metadata: jsonb(sessionMetadata) })

/** Metadata of a session. */
export type SessionMetadata = Readonly<Record<string, string>>

/** Name and metadata of a session as in responses. Absent if it has none. */
export interface SessionLabels {
  readonly name?: string
  readonly metadata?: Record<string, string>
}

/** Serializes the metadata of a session for its row. `undefined` if it is empty. */
export function metadataColumn(metadata: SessionMetadata | undefined): JsonText | undefined {
  if (metadata === undefined || Object.keys(metadata).length === 0) return undefined
  return sessions.serialize('metadata', { ...metadata })
}

/**
 * Reads the name and the metadata of a session. Leaves out metadata that cannot be read, so that
 * the session can still be listed, ended and billed.
 */
export function labelsOf(row: Pick<SessionRow, 'id' | 'name' | 'metadata'>, onUnreadable: OnUnreadable): SessionLabels {
  const metadata = readMetadata(row, onUnreadable)
  return { ...(row.name === undefined ? {} : { name: row.name }), ...(metadata === undefined ? {} : { metadata }) }
}

/** Reads the metadata of a session. `undefined` without any, and if they cannot be read. */
export function readMetadata(
  row: Pick<SessionRow, 'id' | 'metadata'>,
  onUnreadable: OnUnreadable,
): Record<string, string> | undefined {
  if (row.metadata === undefined) return undefined
  try {
    return sessions.parse('metadata', row.metadata, row)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    onUnreadable(error)
    return undefined
  }
}
