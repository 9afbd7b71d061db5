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
  readonly state: Generated<'new' | 'received' | 'stored'>
  readonly createdAt: Timestamp
}
