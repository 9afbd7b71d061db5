import type { Kysely } from 'kysely'
import { release, reserve, settle, type ReservationOutcome } from '../billing/account.ts'
import { insertExtractJob, markExtractEnded, type ExtractEnd, type ExtractJobRow } from './extract-job-queries.ts'
import type { Database } from '../store/schema.ts'

/** An extract job to insert. */
export type NewExtractJob = Pick<ExtractJobRow, 'id' | 'teamId' | 'apiKeyId' | 'request'>

/**
 * Inserts an extract job and reserves its maximum price in the transaction `db`. If that is
 * refused, the caller must roll the transaction back.
 */
export async function admitExtract(
  db: Kysely<Database>,
  { credits, ...job }: NewExtractJob & { readonly credits: number },
): Promise<ReservationOutcome> {
  await insertExtractJob(db, job)
  return reserve(db, { id: job.id, teamId: job.teamId, credits })
}

/**
 * Ends an extract job and settles its hold in the transaction `db`. A failed one costs nothing.
 * Returns the credits charged, or `undefined` if it has already ended.
 */
export async function endExtractJob(db: Kysely<Database>, id: string, end: ExtractEnd): Promise<number | undefined> {
  const ended = await markExtractEnded(db, id, end)
  if (ended === undefined) return undefined
  const { teamId, apiKeyId, credits } = ended
  if (credits === 0) await release(db, id)
  else await settle(db, id, { teamId, apiKeyId, kind: 'extract', subjectId: id, credits })
  return credits
}
