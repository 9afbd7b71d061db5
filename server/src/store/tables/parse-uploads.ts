import type { Generated } from 'kysely'
import type { Timestamp } from './columns.ts'

/** A file that a client uploads before it parses it. Its blob is named after its id. */
export interface ParseUploadTable {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly contentType: string | null
  /** Signs the reference of the file. */
  readonly secret: string
  /** `received` while its blob is written, `taken` while it is read and deleted. */
  readonly state: Generated<'new' | 'received' | 'stored' | 'taken'>
  readonly createdAt: Timestamp
}
