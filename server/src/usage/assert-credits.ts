import type { Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import { availableCredits } from '../store/teams.ts'
import { insufficientCredits } from './work-permits.ts'

/**
 * Throws INSUFFICIENT_CREDITS if a team's available credits do not cover a cost. Reserves nothing.
 */
export async function assertCredits(db: Kysely<Database>, teamId: string, credits: number): Promise<void> {
  const available = await availableCredits(db, teamId)
  if (available !== undefined && available < credits) throw insufficientCredits(credits, available)
}
