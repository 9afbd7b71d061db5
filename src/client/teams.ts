import type { CreateTeamOptions, TeamChanges, TeamSummary } from '../contract/teams.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/**
 * Manages the teams of a server. Creating and updating teams requires an admin key.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const team = await bowline.teams.create({ name: 'research', credits: 1000 })
 * await bowline.teams.update(team.id, { maxConcurrency: 5 })
 * console.log(await bowline.teams.list())
 * ```
 */
export interface Teams {
  /** Lists all teams with an admin key, otherwise only the team of the key. */
  readonly list: (requestOptions?: Abortable) => Promise<readonly TeamSummary[]>
  /**
   * Creates a team, unmetered and unlimited unless `options` set limits. Rejects with CONFLICT if
   * the name is taken.
   */
  readonly create: (options: CreateTeamOptions, requestOptions?: Abortable) => Promise<TeamSummary>
  /** Updates a team, given by name or id. `null` removes a limit. Rejects with TEAM_NOT_FOUND. */
  readonly update: (nameOrId: string, changes: TeamChanges, requestOptions?: Abortable) => Promise<TeamSummary>
}

/** Creates `bowline.teams`. */
export function createTeams(call: Call): Teams {
  return {
    list: async (requestOptions = {}) => (await call('listTeams', {}, requestOptions)).data,
    create: async (options, requestOptions = {}) => (await call('createTeam', { body: options }, requestOptions)).data,
    update: async (nameOrId, changes, requestOptions = {}) =>
      (await call('updateTeam', { params: { id: nameOrId }, body: changes }, requestOptions)).data,
  }
}
