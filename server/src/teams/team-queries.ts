import { sql, type Kysely, type Selectable } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import { toRow, type Row } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import type { TeamTable } from '../store/tables/accounts.ts'

/**
 * A team. Without `credits` it is unmetered. Without `maxConcurrency` its concurrency is unlimited.
 */
export type TeamRow = Row<Selectable<TeamTable>>

/**
 * Returns the team of this name, or creates an unmetered, unlimited one. `id` is used only for a
 * new team.
 */
export async function ensureTeam(
  db: Kysely<Database>,
  team: { readonly id?: string | undefined; readonly name: string },
): Promise<TeamRow> {
  await db
    .insertInto('team')
    .values({ id: team.id ?? uuidV7(), name: team.name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return toRow(await db.selectFrom('team').selectAll().where('name', '=', team.name).executeTakeFirstOrThrow())
}

/** Inserts a team and returns it, or `undefined` if the name is taken. */
export async function insertTeam(
  db: Kysely<Database>,
  {
    credits = null,
    ...team
  }: { readonly name: string } & Pick<TeamUpdate, 'credits' | 'maxConcurrency' | 'rateLimits'>,
): Promise<TeamRow | undefined> {
  const row = await db
    .insertInto('team')
    .values({ ...team, id: uuidV7(), credits, planCredits: credits })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst()
  return row && toRow(row)
}

/** Returns the team with this id, or `undefined`. */
export async function findTeam(db: Kysely<Database>, id: string): Promise<TeamRow | undefined> {
  const row = await db.selectFrom('team').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRow(row)
}

/** Returns the team of this name, or `undefined`. */
export async function findTeamByName(db: Kysely<Database>, name: string): Promise<TeamRow | undefined> {
  const row = await db.selectFrom('team').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toRow(row)
}

/** Lists all teams by name, or only the one with this id. */
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
  return rows.map(toRow)
}

/** Changes to a team. Absent fields stay unchanged, `null` removes a limit. */
export interface TeamUpdate {
  readonly credits?: number | null | undefined
  readonly addCredits?: number | undefined
  readonly maxConcurrency?: number | null | undefined
  readonly rateLimits?: string | null | undefined
}

/**
 * Updates a team and returns it, or `undefined` if there is none. `addCredits` has no effect on
 * unmetered teams.
 */
export async function updateTeam(
  db: Kysely<Database>,
  id: string,
  { credits, addCredits = 0, maxConcurrency, rateLimits }: TeamUpdate,
): Promise<TeamRow | undefined> {
  const row = await db
    .updateTable('team')
    .set({
      ...(credits === undefined
        ? // The sum is null for an unmetered team, which stays unmetered.
          { credits: sql`credits + ${addCredits}::bigint`, planCredits: sql`plan_credits + ${addCredits}::bigint` }
        : { credits, planCredits: credits }),
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      ...(rateLimits === undefined ? {} : { rateLimits }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toRow(row)
}
