import type { CreateTeamOptions, TeamChanges, TeamSummary } from '../contract/teams.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/** The teams of a server. All but `list` take an admin key. */
export interface Teams {
  /** All teams for an admin key, else the own one. */
  readonly list: (how?: Abortable) => Promise<readonly TeamSummary[]>
  /** Makes a team, unmetered and without limits unless told otherwise. Rejects with CONFLICT when there is one of that name. */
  readonly create: (options: CreateTeamOptions, how?: Abortable) => Promise<TeamSummary>
  /** Changes a team, named by its name or id; null lifts a limit. Rejects with TEAM_NOT_FOUND. */
  readonly update: (nameOrId: string, changes: TeamChanges, how?: Abortable) => Promise<TeamSummary>
}

/** Makes the `teams` of a client. */
export function createTeams(call: Call): Teams {
  return {
    list: async (how = {}) => (await call('listTeams', {}, how)).data,
    create: async (options, how = {}) => (await call('createTeam', { body: options }, how)).data,
    update: async (nameOrId, changes, how = {}) =>
      (await call('updateTeam', { params: { id: nameOrId }, body: changes }, how)).data,
  }
}
