import type { TeamChanges, TeamSummary } from 'bowline/contract/teams'
import { paths } from 'bowline/contract/paths'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'
import type { Billing } from '../../billing/billing.ts'
import type { KeyRow } from '../../teams/key-queries.ts'
import type { Store } from '../../store/store.ts'
import { findTeam, findTeamByName, insertTeam, listTeams, updateTeam, type TeamRow } from '../../teams/team-queries.ts'
import type { AuditLog } from '../../audit/audit-log.ts'
import { callerOf } from '../audit-caller.ts'
import type { Authenticator } from '../auth.ts'
import type { Handlers } from '../register.ts'

/** Dependencies of the team routes. */
export interface TeamRouteDeps {
  readonly store: Store
  readonly authenticator: Pick<Authenticator, 'clearCache'>
  readonly billing: Pick<Billing, 'clearCache'>
  readonly audit: Pick<AuditLog, 'record'>
}

/** Routes of teams. Changes need an admin key. Other keys only see their own team. */
export function teamHandlers({ store, authenticator, billing, audit }: TeamRouteDeps): Handlers {
  return {
    listTeams: async (_input, { key }) => {
      const teams = await listTeams(store.db, key.role === 'admin' ? {} : { id: key.teamId })
      return { success: true, data: teams.map(summary) }
    },
    createTeam: async ({ body }, call) => {
      requireAdmin(call.key)
      const { name, credits, maxConcurrency, rateLimits } = body
      const team = await insertTeam(store.db, { name, credits, maxConcurrency, rateLimits })
      if (team !== undefined) {
        const details = { name, ...limitsOf(body) }
        await audit.record({
          action: 'team.created',
          message: 'Team created',
          teamId: team.id,
          details,
          by: callerOf(call),
        })
      }
      return { success: true, data: summary(team ?? taken(name)) }
    },
    updateTeam: async ({ params, body }, call) => {
      requireAdmin(call.key)
      const { id, credits } = await find(store, params.id)
      const { maxConcurrency, addCredits, rateLimits } = body
      if (addCredits !== undefined && credits === undefined) {
        throw new BowlineError('BAD_REQUEST', 'The team is unmetered, so credits cannot be added', {
          hint: 'Set its `credits` first.',
        })
      }
      const team = await updateTeam(store.db, id, { credits: body.credits, addCredits, maxConcurrency, rateLimits })
      // Cached keys contain the limits of their team, and billing caches which teams have none.
      authenticator.clearCache()
      billing.clearCache(id)
      const details = limitsOf(body)
      await audit.record({ action: 'team.updated', message: 'Team updated', teamId: id, details, by: callerOf(call) })
      return { success: true, data: summary(team ?? notFound(id)) }
    },
  }
}

/** Changed limits of a team for the audit log. */
function limitsOf({ credits, addCredits, maxConcurrency, rateLimits }: TeamChanges) {
  return {
    credits,
    addCredits,
    maxConcurrency,
    rateLimits,
  }
}

function requireAdmin(key: KeyRow): void {
  if (key.role !== 'admin') throw new BowlineError('FORBIDDEN', 'Only an admin key may create or change teams')
}

async function find({ db }: Store, idOrName: string): Promise<TeamRow> {
  return (
    (isUuid(idOrName) ? await findTeam(db, idOrName) : undefined) ??
    (await findTeamByName(db, idOrName)) ??
    notFound(idOrName)
  )
}

function notFound(idOrName: string): never {
  throw new BowlineError('TEAM_NOT_FOUND', `No team ${JSON.stringify(idOrName)}`)
}

function taken(name: string): never {
  const { method, path } = paths.updateTeam
  throw new BowlineError('CONFLICT', `A team named ${JSON.stringify(name)} already exists`, {
    hint: `Change the team with \`bowline teams set-credits\`, \`bowline teams limit\` or \`${method} ${path}\`.`,
  })
}

function summary(team: TeamRow): TeamSummary {
  return {
    id: team.id,
    name: team.name,
    credits: team.credits ?? null,
    reservedCredits: team.reservedCredits,
    concurrency: team.activeSessions + team.activeScrapes,
    maxConcurrency: team.maxConcurrency ?? null,
    rateLimits: team.rateLimits ?? null,
    createdAt: team.createdAt.toISOString(),
  }
}
