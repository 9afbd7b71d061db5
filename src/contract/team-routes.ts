import * as activity from './activity.ts'
import type { Route } from './route.ts'
import * as teams from './teams.ts'
import * as usage from './usage.ts'

/** The endpoints of teams: what they used, did, have left and may do. */
export const teamRoutes = {
  listTeams: {
    method: 'GET',
    path: '/v2/teams',
    summary: 'List teams with their balances and limits: all for an admin key, else the own team',
    response: teams.listTeamsResponse,
  },
  createTeam: {
    method: 'POST',
    path: '/v2/teams',
    summary: 'Create a team (admin keys only)',
    body: teams.createTeamRequest,
    response: teams.teamResponse,
  },
  updateTeam: {
    method: 'PATCH',
    path: '/v2/teams/{id}',
    summary: 'Change the balance or the limits of a team, named by id or name (admin keys only)',
    params: teams.teamParams,
    body: teams.updateTeamRequest,
    response: teams.teamResponse,
  },
  activity: {
    method: 'GET',
    path: '/v2/team/activity',
    summary: 'List the jobs of the last 24 hours, newest first',
    query: activity.activityQuery,
    response: activity.activityResponse,
  },
  creditUsage: {
    method: 'GET',
    path: '/v2/team/credit-usage',
    summary: 'Read the balance of the team in credits',
    response: usage.creditUsageResponse,
  },
  creditUsageV1: {
    method: 'GET',
    path: '/v1/team/credit-usage',
    summary: 'Read the balance of the team in credits, in the first version of the API',
    response: usage.creditUsageResponseV1,
  },
  tokenUsage: {
    method: 'GET',
    path: '/v2/team/token-usage',
    summary: 'Read the balance of the team in tokens: 15 a credit',
    response: usage.tokenUsageResponse,
  },
  tokenUsageV1: {
    method: 'GET',
    path: '/v1/team/token-usage',
    summary: 'Read the balance of the team in tokens, in the first version of the API',
    response: usage.tokenUsageResponseV1,
  },
  creditHistory: {
    method: 'GET',
    path: '/v2/team/credit-usage/historical',
    aliases: ['/v1/team/credit-usage/historical'],
    summary: 'Credits that the team used, month by month',
    query: usage.usageHistoryQuery,
    response: usage.creditHistoryResponse,
  },
  tokenHistory: {
    method: 'GET',
    path: '/v2/team/token-usage/historical',
    aliases: ['/v1/team/token-usage/historical'],
    summary: 'Tokens that the team used, month by month: 15 a credit',
    query: usage.usageHistoryQuery,
    response: usage.tokenHistoryResponse,
  },
  queueStatus: {
    method: 'GET',
    path: '/v2/team/queue-status',
    aliases: ['/v1/team/queue-status'],
    summary: 'Count what runs for the team and what waits',
    response: usage.queueStatusResponse,
  },
  concurrencyCheck: {
    method: 'GET',
    path: '/v2/concurrency-check',
    aliases: ['/v1/concurrency-check'],
    summary: 'Count what runs for the team, and what may',
    response: usage.concurrencyResponse,
  },
} as const satisfies Record<string, Route>
