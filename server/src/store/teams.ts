import { sql, type Kysely, type Selectable } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import { toRecord, type Recorded } from './record.ts'
import type { Database } from './schema.ts'
import type { TeamTable } from './tables/accounts.ts'

/** A team. `credits` undefined: unmetered; `maxSessions` undefined: any number of sessions and scrapes at a time. */
export type TeamRow = Recorded<Selectable<TeamTable>>

/** The team of that name, made unmetered and unlimited when absent; `id` counts only then. */
export async function ensureTeam(
  db: Kysely<Database>,
  team: { readonly id?: string | undefined; readonly name: string },
): Promise<TeamRow> {
  await db
    .insertInto('team')
    .values({ id: team.id ?? uuidV7(), name: team.name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return toRecord(await db.selectFrom('team').selectAll().where('name', '=', team.name).executeTakeFirstOrThrow())
}

/** Makes a team, in one statement, and answers it. Undefined: there is one of that name. */
export async function insertTeam(
  db: Kysely<Database>,
  { credits = null, ...team }: { readonly name: string } & Pick<TeamUpdate, 'credits' | 'maxSessions' | 'rateLimits'>,
): Promise<TeamRow | undefined> {
  const row = await db
    .insertInto('team')
    .values({ ...team, id: uuidV7(), credits, planCredits: credits })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst()
  return row && toRecord(row)
}

/** The team with that id, or undefined. */
export async function findTeam(db: Kysely<Database>, id: string): Promise<TeamRow | undefined> {
  const row = await db.selectFrom('team').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRecord(row)
}

/** Sets the balance of a team; undefined makes it unmetered. Credits reserved by live sessions stay reserved. */
export async function setTeamCredits(db: Kysely<Database>, id: string, credits: number | undefined): Promise<void> {
  await db
    .updateTable('team')
    .set({ credits: credits ?? null, planCredits: credits ?? null })
    .where('id', '=', id)
    .execute()
}

/** Sets how many sessions of a team may be alive at a time; undefined lifts the limit. Live sessions go on. */
export async function setTeamMaxSessions(
  db: Kysely<Database>,
  id: string,
  maxSessions: number | undefined,
): Promise<void> {
  await db
    .updateTable('team')
    .set({ maxSessions: maxSessions ?? null })
    .where('id', '=', id)
    .execute()
}

/** The team of that name, or undefined. */
export async function findTeamByName(db: Kysely<Database>, name: string): Promise<TeamRow | undefined> {
  const row = await db.selectFrom('team').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toRecord(row)
}

/** Teams by name: all, or the one with that id. */
export async function listTeams(
  db: Kysely<Database>,
  filter: { readonly id?: string | undefined } = {},
): Promise<readonly TeamRow[]> {
  const { id } = filter
  const rows = await db
    .selectFrom('team')
    .selectAll()
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('name')
    .execute()
  return rows.map(toRecord)
}

/** What may be changed of a team; what is absent stays, null lifts the limit. */
export interface TeamUpdate {
  readonly credits?: number | null | undefined
  readonly addCredits?: number | undefined
  readonly maxSessions?: number | null | undefined
  readonly rateLimits?: string | null | undefined
}

/** Changes a team, in one statement, and answers it. Undefined: there is none. Credits of an unmetered team cannot be added to. */
export async function updateTeam(
  db: Kysely<Database>,
  id: string,
  { credits, addCredits = 0, maxSessions, rateLimits }: TeamUpdate,
): Promise<TeamRow | undefined> {
  const row = await db
    .updateTable('team')
    .set({
      ...(credits === undefined
        ? // What is left after an addition is what it was given last; null stays null.
          { credits: sql`credits + ${addCredits}::bigint`, planCredits: sql`plan_credits + ${addCredits}::bigint` }
        : { credits, planCredits: credits }),
      ...(maxSessions === undefined ? {} : { maxSessions }),
      ...(rateLimits === undefined ? {} : { rateLimits }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toRecord(row)
}

/** Credits of a team that no running work has reserved; undefined: unmetered. Negative after a bill above its reservation. */
export async function availableCredits(db: Kysely<Database>, teamId: string): Promise<number | undefined> {
  const team = await findTeam(db, teamId)
  return team?.credits === undefined ? undefined : team.credits - team.reservedCredits
}
