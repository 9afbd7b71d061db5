import { jobRetentionMs } from '../kit/job-retention.ts'
import { runEvery } from '../kit/run-every.ts'
import { databaseTimeAgo } from '../store/database-time.ts'
import { deleteOldAgents } from './agent-queries.ts'
import { Agents, type AgentsDeps } from './agents.ts'

const sweepMs = 3_600_000

/** Starts processing agents on this server. `resources` stops the deletion of old ones. */
export async function openAgents(resources: AsyncDisposableStack, deps: AgentsDeps): Promise<Agents> {
  const { db } = deps.store
  const sweep = async (): Promise<unknown> => deleteOldAgents(db, await databaseTimeAgo(db, jobRetentionMs))
  resources.use(runEvery(sweepMs, sweep, { onError: (error) => deps.onError(error, 'deleting old agents') }))
  return Agents.open(deps)
}
