import type { Kysely, Selectable } from 'kysely'
import { uuidV7 } from '../../kit/ids.ts'
import { toRecord, type Recorded } from './record.ts'
import type { Database, TeamTable } from './schema.ts'

/** A team. `credits` undefined: unmetered; `maxSessions` undefined: unlimited. */
export type TeamRow = Recorded<Selectable<TeamTable>>

/** The team of that name, made unmetered and unlimited when absent; `id` counts only then. */
export const ensureTeam = async (
  db: Kysely<Database>,
  team: { readonly id?: string | undefined; readonly name: string },
): Promise<TeamRow> => {
  await db
    .insertInto('team')
    .values({ id: team.id ?? uuidV7(), name: team.name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return toRecord(await db.selectFrom('team').selectAll().where('name', '=', team.name).executeTakeFirstOrThrow())
}

/** The team with that id, or undefined. */
export const findTeam = async (db: Kysely<Database>, id: string): Promise<TeamRow | undefined> => {
  const row = await db.selectFrom('team').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRecord(row)
}

/** Sets the balance of a team; undefined makes it unmetered. Credits reserved by live sessions stay reserved. */
export const setTeamCredits = async (db: Kysely<Database>, id: string, credits: number | undefined): Promise<void> => {
  await db
    .updateTable('team')
    .set({ credits: credits ?? null })
    .where('id', '=', id)
    .execute()
}

/** Sets how many sessions of a team may be alive at a time; undefined lifts the limit. Live sessions go on. */
export const setTeamMaxSessions = async (
  db: Kysely<Database>,
  id: string,
  maxSessions: number | undefined,
): Promise<void> => {
  await db
    .updateTable('team')
    .set({ maxSessions: maxSessions ?? null })
    .where('id', '=', id)
    .execute()
}

/** Credits of a team that no live session has reserved; undefined: unmetered. Negative after a bill above its reservation. */
export const availableCredits = async (db: Kysely<Database>, teamId: string): Promise<number | undefined> => {
  const team = await findTeam(db, teamId)
  return team?.credits === undefined ? undefined : team.credits - team.reservedCredits
}
