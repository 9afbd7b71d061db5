import type { Kysely } from 'kysely'
import { agentLimits } from 'bowline/contract/agent'
import { release, reserve, settle, type ReservationOutcome } from '../billing/account.ts'
import type { Database } from '../store/schema.ts'
import { insertAgent, markAgentEnded, type AgentEnd, type AgentJobRow } from './agent-queries.ts'

/** Returns the credits that are reserved before the first step of an agent. */
export function firstHold(maxCredits: number): number {
  return Math.min(maxCredits, agentLimits.needed)
}

/**
 * Inserts an agent and reserves the credits of its first steps in the transaction `db`. If that is
 * refused, the caller must roll the transaction back.
 */
export async function admitAgent(
  db: Kysely<Database>,
  job: Pick<AgentJobRow, 'id' | 'teamId' | 'apiKeyId' | 'request'>,
): Promise<ReservationOutcome> {
  await insertAgent(db, job)
  return reserve(db, { id: job.id, teamId: job.teamId, credits: firstHold(job.request.maxCredits) })
}

/**
 * Ends an agent and settles its hold in the transaction `db`. Returns the credits charged, or
 * `undefined` if it has already ended.
 */
export async function endAgent(db: Kysely<Database>, id: string, end: AgentEnd): Promise<number | undefined> {
  const ended = await markAgentEnded(db, id, end)
  if (ended === undefined) return undefined
  const { teamId, apiKeyId, credits } = ended
  if (credits === 0) await release(db, id)
  else await settle(db, id, { teamId, apiKeyId, kind: 'agent', subjectId: id, credits })
  return credits
}
