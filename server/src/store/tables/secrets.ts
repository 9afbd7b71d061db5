import type { JsonText, Timestamp } from './columns.ts'

/** A secret of a team. */
export interface SecretTable {
  readonly teamId: string
  readonly name: string
  readonly kind: 'text' | 'totp'
  /** Origins into whose pages it may be typed. */
  readonly origins: JsonText
  /** Encrypted value in base64, bound to the other columns. */
  readonly value: string
  /** Id of the encryption key. */
  readonly keyId: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}
