import { sql, type Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** Work that asks for credits and a place of its team. */
export interface WantedWork {
  readonly id: string
  readonly teamId: string
  readonly nodeId: string
  /** Most that it may cost. */
  readonly credits: number
}

/** Whether work may begin. */
export type WorkAdmission =
  | { readonly outcome: 'admitted' }
  /** There is nothing to set aside, and nothing was written: the team has no limit, or the work costs nothing. */
  | { readonly outcome: 'unlimited'; readonly isMetered: boolean }
  | { readonly outcome: 'insufficient-credits'; readonly available: number }
  | { readonly outcome: 'team-limit'; readonly limit: number; readonly active: number }

interface TeamState {
  readonly isAdmitted: boolean
  readonly credits: number | null
  readonly reservedCredits: number
  readonly maxSessions: number | null
  readonly active: number
}

/** Sets credits and a place aside, in one statement: however many servers ask at once, no team spends or runs too much. */
export async function admitWork(db: Kysely<Database>, work: WantedWork): Promise<WorkAdmission> {
  for (;;) {
    const state = await tryAdmit(db, work)
    if (state === undefined) return { outcome: 'insufficient-credits', available: 0 }
    const { isAdmitted, credits, reservedCredits, maxSessions: limit, active } = state
    if (isAdmitted) return { outcome: 'admitted' }
    if (limit === null && (credits === null || work.credits === 0))
      return { outcome: 'unlimited', isMetered: credits !== null }
    const available = credits === null ? Infinity : credits - reservedCredits
    if (available < work.credits) return { outcome: 'insufficient-credits', available }
    if (limit !== null && active >= limit) return { outcome: 'team-limit', limit, active }
    // Others changed the team between the two looks at it: it is asked again.
  }
}

async function tryAdmit(db: Kysely<Database>, work: WantedWork): Promise<TeamState | undefined> {
  const { rows } = await sql<TeamState>`
    with place as (
      update team
      set reserved_credits = reserved_credits + ${work.credits}::bigint, active_scrapes = active_scrapes + 1
      where id = ${work.teamId}
        and (max_sessions is not null or credits is not null and ${work.credits} > 0)
        and (credits is null or credits - reserved_credits >= ${work.credits}::bigint)
        and (max_sessions is null or active_sessions + active_scrapes < max_sessions)
      returning id
    ), entered as (
      insert into running_work (id, team_id, node_id, credits)
      select ${work.id}::uuid, id, ${work.nodeId}::uuid, ${work.credits}::integer from place
    )
    select exists (select from place) as is_admitted, credits, reserved_credits, max_sessions,
      active_sessions + active_scrapes as active
    from team where id = ${work.teamId}`.execute(db)
  return rows[0]
}

/** Gives back what work has set aside, once: a second call changes nothing. */
export async function releaseWork(db: Kysely<Database>, id: string): Promise<void> {
  return releaseWhere(db, sql`id = ${id}`)
}

/** Gives back what the work of a node has set aside that died. */
export async function releaseWorkOfNode(db: Kysely<Database>, nodeId: string): Promise<void> {
  return releaseWhere(db, sql`node_id = ${nodeId}`)
}

async function releaseWhere(db: Kysely<Database>, condition: ReturnType<typeof sql>): Promise<void> {
  await sql`
    with gone as (delete from running_work where ${condition} returning team_id, credits),
      freed as (select team_id, sum(credits) as credits, count(*) as places from gone group by team_id)
    update team
    set reserved_credits = reserved_credits - freed.credits, active_scrapes = active_scrapes - freed.places
    from freed where team.id = freed.team_id`.execute(db)
}
