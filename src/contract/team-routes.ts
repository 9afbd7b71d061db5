import * as activity from './activity.ts'
import * as health from './health.ts'
import * as auditLog from './audit-log.ts'
import { bulkParams } from './bulk.ts'
import * as jobs from './jobs.ts'
import { paths } from './paths.ts'
import type { Route } from './route.ts'
import * as teams from './teams.ts'
import * as usage from './usage.ts'

/** Routes of teams: usage, activity, balances and limits. */
export const teamRoutes = {
  listTeams: {
    ...paths.listTeams,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'List your team, or all teams with an admin key, with balances and limits',
    response: teams.listTeamsResponse,
  },
  createTeam: {
    ...paths.createTeam,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Create a team (admin keys only)',
    body: teams.createTeamRequest,
    response: teams.teamResponse,
  },
  updateTeam: {
    ...paths.updateTeam,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Change the balance or the limits of a team by id or name (admin keys only)',
    params: teams.teamParams,
    body: teams.updateTeamRequest,
    response: teams.teamResponse,
  },
  activity: {
    ...paths.activity,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'List the API calls of the last 24 hours that started work, newest first',
    query: activity.activityQuery,
    response: activity.activityResponse,
  },
  listJobs: {
    ...paths.listJobs,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'List the batches, crawls, extractions and agents of the team with their status, newest first',
    query: jobs.listJobsQuery,
    response: jobs.listJobsResponse,
  },
  getJob: {
    ...paths.getJob,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the status, the counts and the options of a batch, crawl, extraction or agent',
    params: bulkParams,
    response: jobs.getJobResponse,
  },
  auditLog: {
    ...paths.auditLog,
    tag: 'Team',
    rateLimit: 'account',
    summary:
      'List changes to keys, teams, profiles and secrets, failed authentication and denied access, newest first (admin keys only)',
    query: auditLog.auditLogQuery,
    response: auditLog.auditLogResponse,
  },
  creditUsage: {
    ...paths.creditUsage,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the balance of the team in credits',
    response: usage.creditUsageResponse,
  },
  creditUsageV1: {
    ...paths.creditUsageV1,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the balance of the team in credits (API v1)',
    response: usage.creditUsageResponseV1,
  },
  tokenUsage: {
    ...paths.tokenUsage,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the balance of the team in tokens, 15 per credit',
    response: usage.tokenUsageResponse,
  },
  tokenUsageV1: {
    ...paths.tokenUsageV1,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the balance of the team in tokens (API v1)',
    response: usage.tokenUsageResponseV1,
  },
  creditHistory: {
    ...paths.creditHistory,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the credits that the team used by month',
    query: usage.usageHistoryQuery,
    response: usage.creditHistoryResponse,
  },
  listCosts: {
    ...paths.listCosts,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'List the most expensive sessions, jobs and monitors of the team',
    query: usage.listCostsQuery,
    response: usage.listCostsResponse,
  },
  tokenHistory: {
    ...paths.tokenHistory,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the tokens that the team used by month, 15 per credit',
    query: usage.usageHistoryQuery,
    response: usage.tokenHistoryResponse,
  },
  healthHistory: {
    ...paths.healthHistory,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the load of the servers over the last hours (admin keys only)',
    query: health.healthHistoryQuery,
    response: health.healthHistoryResponse,
  },
  queueStatus: {
    ...paths.queueStatus,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the number of running and waiting jobs of the team',
    response: usage.queueStatusResponse,
  },
  concurrencyCheck: {
    ...paths.concurrencyCheck,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Get the concurrency of the team and its limit',
    response: usage.concurrencyResponse,
  },
} as const satisfies Record<string, Route>
