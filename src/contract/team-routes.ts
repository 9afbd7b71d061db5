import * as activity from './activity.ts'
import type { Route } from './route.ts'
import * as teams from './teams.ts'
import * as usage from './usage.ts'

/** Routes of teams: usage, activity, balances and limits. */
export const teamRoutes = {
  listTeams: {
    method: 'GET',
    path: '/v2/teams',
    summary: 'List your team, or all teams with an admin key, with balances and limits',
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
    summary: 'Change the balance or the limits of a team by id or name (admin keys only)',
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
    summary: 'Get the balance of the team in credits',
    response: usage.creditUsageResponse,
  },
  creditUsageV1: {
    method: 'GET',
    path: '/v1/team/credit-usage',
    summary: 'Get the balance of the team in credits (API v1)',
    response: usage.creditUsageResponseV1,
  },
  tokenUsage: {
    method: 'GET',
    path: '/v2/team/token-usage',
    summary: 'Get the balance of the team in tokens, 15 per credit',
    response: usage.tokenUsageResponse,
  },
  tokenUsageV1: {
    method: 'GET',
    path: '/v1/team/token-usage',
    summary: 'Get the balance of the team in tokens (API v1)',
    response: usage.tokenUsageResponseV1,
  },
  creditHistory: {
    method: 'GET',
    path: '/v2/team/credit-usage/historical',
    aliases: ['/v1/team/credit-usage/historical'],
    summary: 'Get the credits that the team used by month',
    query: usage.usageHistoryQuery,
    response: usage.creditHistoryResponse,
  },
  tokenHistory: {
    method: 'GET',
    path: '/v2/team/token-usage/historical',
    aliases: ['/v1/team/token-usage/historical'],
    summary: 'Get the tokens that the team used by month, 15 per credit',
    query: usage.usageHistoryQuery,
    response: usage.tokenHistoryResponse,
  },
  queueStatus: {
    method: 'GET',
    path: '/v2/team/queue-status',
    aliases: ['/v1/team/queue-status'],
    summary: 'Get the number of running and waiting jobs of the team',
    response: usage.queueStatusResponse,
  },
  concurrencyCheck: {
    method: 'GET',
    path: '/v2/concurrency-check',
    aliases: ['/v1/concurrency-check'],
    summary: 'Get the concurrency of the team and its limit',
    response: usage.concurrencyResponse,
  },
} as const satisfies Record<string, Route>
