import type { Kysely } from 'kysely'
import { raise, release, reserve, settle } from '../billing/account.ts'
import {
  addReservedCredits,
  markCheckEnded,
  markCheckReserved,
  type CheckLease,
  type CheckOutcome,
} from './queries/checks.ts'
import type { Database } from '../store/schema.ts'

/** A check to reserve credits for. */
interface CheckCredits {
  readonly id: string
  readonly teamId: string
  readonly credits: number
}

/**
 * Reserves the credits of a check in a separate transaction. Idempotent. Returns `false` if the
 * team cannot pay.
 */
export async function reserveCheck(db: Kysely<Database>, { id, teamId, credits }: CheckCredits): Promise<boolean> {
  try {
    await db.transaction().execute(async (transaction) => {
      if (!(await markCheckReserved(transaction, { id, credits }))) return
      const { outcome } = await reserve(transaction, { id, teamId, credits })
      if (outcome === 'insufficient-credits') throw new RefusedError()
    })
    return true
  } catch (error) {
    if (error instanceof RefusedError) return false
    throw error
  }
}

/** Rolls a reservation back. */
class RefusedError extends Error {}

/**
 * Raises the hold of a check that exceeds its estimate, in the transaction `db`. Returns `false` if
 * the team cannot pay.
 */
export async function raiseCheck(
  db: Kysely<Database>,
  { id, credits }: Pick<CheckCredits, 'id' | 'credits'>,
): Promise<boolean> {
  await addReservedCredits(db, { id, credits })
  return raise(db, { holdId: id, credits })
}

/**
 * Ends a check and settles its hold, in the transaction `db`. A check that costs nothing is not
 * billed. Returns the credits charged, or `undefined`, and changes nothing, if the lease was lost.
 */
export async function endCheck(
  db: Kysely<Database>,
  lease: CheckLease,
  outcome: CheckOutcome,
): Promise<number | undefined> {
  const ended = await markCheckEnded(db, lease, outcome)
  if (ended === undefined) return undefined
  const { id, teamId, apiKeyId, finishedAt: createdAt, billingStatus } = ended
  const { credits } = outcome
  if (billingStatus === 'confirmed') {
    await settle(db, id, { teamId, apiKeyId, kind: 'monitor', subjectId: id, credits, createdAt })
    return credits
  }
  await release(db, id)
  return 0
}
