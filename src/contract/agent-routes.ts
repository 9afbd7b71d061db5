import * as agent from './agent.ts'
import { paths } from './paths.ts'
import { bodyBytes, type Route } from './route.ts'

/** Routes of agents. */
export const agentRoutes = {
  startAgent: {
    ...paths.startAgent,
    tag: 'Agent',
    rateLimit: 'extract',
    activity: { endpoint: 'agent', target: 'urls' },
    summary: 'Start an agent, which does a task with searches, scrapes and a browser session',
    body: agent.agentRequest,
    maxBodyBytes: bodyBytes.options,
    response: agent.startAgentResponse,
  },
  getAgent: {
    ...paths.getAgent,
    tag: 'Agent',
    rateLimit: 'extractStatus',
    hasLargeResponse: true,
    summary: 'Get the status and result of an agent, until 24 hours after its end',
    params: agent.agentParams,
    response: agent.agentStatusResponse,
  },
  cancelAgent: {
    ...paths.cancelAgent,
    tag: 'Agent',
    rateLimit: 'extractStatus',
    summary: 'Cancel an agent. Its steps so far are billed',
    params: agent.agentParams,
    response: agent.cancelAgentResponse,
  },
  getAgentTrace: {
    ...paths.getAgentTrace,
    tag: 'Agent',
    rateLimit: 'extractStatus',
    hasLargeResponse: true,
    summary: 'Get the steps of an agent with their costs',
    params: agent.agentParams,
    query: agent.agentTraceQuery,
    response: agent.agentTraceResponse,
  },
  getAgentSnapshot: {
    ...paths.getAgentSnapshot,
    tag: 'Agent',
    rateLimit: 'extractStatus',
    hasLargeResponse: true,
    summary: 'Get the output of a step of an agent, by the `snapshotId` of its event',
    params: agent.agentSnapshotParams,
    response: agent.agentSnapshotResponse,
  },
} as const satisfies Record<string, Route>
