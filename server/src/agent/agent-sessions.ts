import type { Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import { listByIdempotencyKeys } from '../sessions/session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'

/** Maximum number of browser sessions of an agent. */
export const maxAgentSessions = 10

/** Idempotency key of the nth session of an agent, by which it is found again. */
export function agentSessionKey(id: string, count: number): string {
  return `agent ${id} ${count}`
}

interface Agent {
  readonly id: string
  readonly teamId: string
}

/** Lists the sessions of an agent, except those that cost nothing because it failed. */
export async function listAgentSessions(db: Kysely<Database>, { id, teamId }: Agent): Promise<readonly SessionRow[]> {
  const keys = Array.from({ length: maxAgentSessions }, (_, index) => agentSessionKey(id, index + 1))
  return listByIdempotencyKeys(db, teamId, keys)
}

/** Returns the cost of the ended sessions of an agent. */
export async function sumSessionCredits(db: Kysely<Database>, agent: Agent): Promise<number> {
  const sessions = await listAgentSessions(db, agent)
  return sessions.reduce((sum, { creditsBilled = 0 }) => sum + creditsBilled, 0)
}
