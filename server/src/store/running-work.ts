import { sql, type Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** Work that needs credits and a concurrency slot of its team. */
export interface WantedWork {
  readonly id: string
  readonly teamId: string
  readonly nodeId: string
  /** Maximum cost. */
  readonly credits: number
}

/** Result of `admitWork`. */
export type WorkAdmission =
  | { readonly outcome: 'admitted' }
  /** Nothing is held: the team has no limits, or the work is free. */
  | { readonly outcome: 'not-held'; readonly isMetered: boolean }
  | { readonly outcome: 'insufficient-credits'; readonly available: number }
  | { readonly outcome: 'team-limit'; readonly limit: number; readonly active: number }

interface TeamState {
  readonly isAdmitted: boolean
  readonly credits: number | null
  readonly reservedCredits: number
  readonly maxConcurrency: number | null
  readonly active: number
}

/**
 * Reserves credits and a slot in one statement, so that concurrent requests cannot exceed a team's
 * limits.
 */
export async function admitWork(db: Kysely<Database>, work: WantedWork): Promise<WorkAdmission> {
  for (;;) {
    const state = await tryAdmit(db, work)
    if (state === undefined) return { outcome: 'insufficient-credits', available: 0 }
    const { isAdmitted, credits, reservedCredits, maxConcurrency: limit, active } = state
    if (isAdmitted) return { outcome: 'admitted' }
    if (limit === null && (credits === null || work.credits === 0))
      return { outcome: 'not-held', isMetered: credits !== null }
    const available = credits === null ? Infinity : credits - reservedCredits
    if (available < work.credits) return { outcome: 'insufficient-credits', available }
    if (limit !== null && active >= limit) return { outcome: 'team-limit', limit, active }
    // The team changed between the update and the select of its state. Try again.
  }
}

async function tryAdmit(db: Kysely<Database>, work: WantedWork): Promise<TeamState | undefined> {
  const { rows } = await sql<TeamState>`
    with slot as (
      update team
      set reserved_credits = reserved_credits + ${work.credits}::bigint, active_scrapes = active_scrapes + 1
      where id = ${work.teamId}
        and (max_concurrency is not null or credits is not null and ${work.credits} > 0)
        and (credits is null or credits - reserved_credits >= ${work.credits}::bigint)
        and (max_concurrency is null or active_sessions + active_scrapes < max_concurrency)
      returning id
    ), entered as (
      insert into running_work (id, team_id, node_id, credits)
      select ${work.id}::uuid, id, ${work.nodeId}::uuid, ${work.credits}::integer from slot
    )
    select exists (select from slot) as is_admitted, credits, reserved_credits, max_concurrency,
      active_sessions + active_scrapes as active
    from team where id = ${work.teamId}`.execute(db)
  return rows[0]
}

/** Releases the reservation of work. Idempotent. */
export async function releaseWork(db: Kysely<Database>, id: string): Promise<void> {
  return releaseWhere(db, sql`id = ${id}`)
}

/** Releases the reservations of all work on a dead node. */
export async function releaseWorkOfNode(db: Kysely<Database>, nodeId: string): Promise<void> {
  return releaseWhere(db, sql`node_id = ${nodeId}`)
}

async function releaseWhere(db: Kysely<Database>, condition: ReturnType<typeof sql>): Promise<void> {
  await sql`
    with deleted as (delete from running_work where ${condition} returning team_id, credits),
      freed as (select team_id, sum(credits) as credits, count(*) as slots from deleted group by team_id)
    update team
    set reserved_credits = reserved_credits - freed.credits, active_scrapes = active_scrapes - freed.slots
    from freed where team.id = freed.team_id`.execute(db)
}
