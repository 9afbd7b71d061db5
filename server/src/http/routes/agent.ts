import type { Agents } from '../../agent/agents.ts'
import { getTeamAgent, readAgentSnapshot, readAgentStatus, readAgentTrace } from '../../agent/read-agent.ts'
import type { Store } from '../../store/store.ts'
import type { Handlers } from '../register.ts'

/** Dependencies of the routes of agents. */
export interface AgentRouteDeps {
  readonly store: Store
  readonly agents: Agents
}

/** Routes of agents. */
export function agentHandlers({ store: { db }, agents }: AgentRouteDeps): Handlers {
  return {
    startAgent: async ({ body: request }, { key, baseUrl }) => {
      const { id } = await agents.start({ request, baseUrl, teamId: key.teamId, apiKeyId: key.id })
      return { success: true, id }
    },
    getAgent: async ({ params }, { key }) => readAgentStatus(db, await getTeamAgent(db, params.id, key.teamId)),
    cancelAgent: async ({ params }, { key }) => {
      await agents.cancel(await getTeamAgent(db, params.id, key.teamId))
      return { success: true }
    },
    getAgentTrace: async ({ params, query }, { key, baseUrl }) => {
      const job = await getTeamAgent(db, params.id, key.teamId)
      return readAgentTrace(db, job, { baseUrl, hasLiveView: query.liveView === 'true' })
    },
    getAgentSnapshot: async ({ params: { id, snapshotId } }, { key }) => {
      const snapshot = await readAgentSnapshot(db, await getTeamAgent(db, id, key.teamId), snapshotId)
      return { success: true, id, snapshotId, snapshot }
    },
  }
}
