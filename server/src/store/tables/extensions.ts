import type { Generated } from 'kysely'
import type { Timestamp } from './columns.ts'

/** A browser extension of a team. Its blob is named after its id. */
export interface ExtensionTable {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly version: string
  /** Size of the zip. */
  readonly bytes: number
  readonly contentBytes: number
  /** Whether its blob is complete. */
  readonly isStored: Generated<boolean>
  readonly createdAt: Timestamp
}
