import { sql, type Transaction } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Limits how long each statement of a transaction waits for rows that others have locked. Then it
 * throws STORE_UNAVAILABLE.
 */
export async function limitLockWaits(transaction: Transaction<Database>, timeoutMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(timeoutMs)}, true)`.execute(transaction)
}
