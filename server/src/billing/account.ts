/**
 * The accounts of teams. These statements move all credits: nothing else writes `hold` or `ledger`,
 * and only an admin who sets a balance also writes `team.credits`.
 *
 * Why was this billed, and how much? A charge is a row of the ledger: `kind` is the kind of work,
 * `subject_id` its id in the table of that work, and `credits` its price by `prices.ts`. Charges
 * older than `--retention-days` are summed up by `roll-up-ledger.ts`.
 *
 * | kind    | subject           | reserved before the work   | settled after it                  |
 * | ------- | ----------------- | -------------------------- | --------------------------------- |
 * | session | session           | price of its whole TTL     | its lifetime, when it ends        |
 * | scrape  | page of a request | minimum price of its page  | its features and PDF pages        |
 * | map     | map               | price of a map             | the same                          |
 * | search  | search            | maximum price of results   | the results found                 |
 * | extract | extraction        | maximum price of its pages | the pages read, and its search    |
 * | agent   | agent             | each of its steps          | the steps done                    |
 * | monitor | check             | estimate of all its pages  | pages, judgments and searches     |
 *
 * A page of a batch, of a crawl or of search results is a separate `scrape`. Pages of checks,
 * extractions and agents are not: the check, extraction or agent pays for them. The sessions of an
 * agent are billed like all sessions. If work fails or finds nothing, its
 * hold is released without a charge. Only sessions keep a row that explains a price of 0.
 *
 * Each kind of work takes the same steps: `reserve` a hold, `raise` or `lower` it if the work turns
 * out to cost more or less, then either `settle` (remove the hold, debit the team, add the charge)
 * or `release` (remove the hold). A balance cannot be overspent, because credits are reserved only
 * if `credits - reserved_credits` covers them. `settle` runs in the transaction that stores the
 * result of the work, after its rows: the row of the team is locked last and for the shortest time.
 */
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import type { Database } from '../store/schema.ts'
import { findTeam, type TeamRow } from '../teams/team-queries.ts'
import { insufficientCredits } from './insufficient-credits.ts'

/** Kind of work that is billed. `job`: a page of a batch or a crawl. */
export type ChargeKind = 'session' | 'scrape' | 'job' | 'map' | 'search' | 'extract' | 'agent' | 'monitor'

/** A charge to add to the ledger. */
export interface Charge {
  readonly teamId: string
  readonly apiKeyId: string
  readonly kind: ChargeKind
  /** Id of the work. It is billed once. */
  readonly subjectId: string
  readonly credits: number
  /** Default: now. */
  readonly createdAt?: Date | undefined
}

/** Credits, and possibly a concurrency slot, to reserve for work. */
export interface Reservation {
  /** Id of the hold. */
  readonly id: string
  readonly teamId: string
  /** Maximum cost as far as it is known. */
  readonly credits: number
  /** Which of the team's concurrency slots the work takes. Default: none. */
  readonly slot?: 'session' | 'scrape' | undefined
  /**
   * Node that runs the work: the hold is released if it dies, and not stored if the team has no
   * limits. Default: the work survives its node, and its hold is stored for every team.
   */
  readonly nodeId?: string | undefined
}

/** Result of `reserve`. */
export type ReservationOutcome =
  | { readonly outcome: 'reserved' }
  /** No hold was needed. `isUnlimited`: the team has no limits. */
  | { readonly outcome: 'not-needed'; readonly isUnlimited: boolean }
  | Refusal

/** Why credits or a slot were not reserved. */
export type Refusal =
  | { readonly outcome: 'insufficient-credits'; readonly available: number }
  | { readonly outcome: 'team-limit'; readonly limit: number; readonly active: number }

/** Returns the unreserved credits of a team, which it can still spend. Infinity: unmetered. */
export function unreserved({ credits, reservedCredits }: Pick<TeamRow, 'credits' | 'reservedCredits'>): number {
  return credits === undefined ? Infinity : credits - reservedCredits
}

/**
 * Returns the unreserved credits of a team, or `undefined` if it is unmetered. May be negative
 * after a charge above its reservation.
 */
export async function availableCredits(db: Kysely<Database>, teamId: string): Promise<number | undefined> {
  const team = await findTeam(db, teamId)
  return team?.credits === undefined ? undefined : unreserved(team)
}

/**
 * Throws INSUFFICIENT_CREDITS, or the result of `createError`, if a team cannot pay a cost.
 * Reserves nothing.
 */
export async function assertCredits(
  db: Kysely<Database>,
  { teamId, credits }: Pick<Reservation, 'teamId' | 'credits'>,
  createError: (needed: number, available: number) => Error = insufficientCredits,
): Promise<void> {
  const available = await availableCredits(db, teamId)
  if (available !== undefined && available < credits) throw createError(credits, available)
}

/**
 * Reserves credits and a slot in one statement, so that concurrent requests cannot exceed a team's
 * limits. A refusal in a transaction must roll it back if rows depend on the hold.
 */
export async function reserve(db: Kysely<Database>, wanted: Reservation): Promise<ReservationOutcome> {
  for (;;) {
    const state = await tryReserve(db, wanted)
    if (state === undefined) return { outcome: 'insufficient-credits', available: 0 }
    const { isReserved, credits, reservedCredits, maxConcurrency: limit, active } = state
    if (isReserved) return { outcome: 'reserved' }
    const needsCredits = credits !== null && wanted.credits > 0
    const needsSlot = limit !== null && wanted.slot !== undefined
    if (wanted.nodeId !== undefined && !needsCredits && !needsSlot)
      return { outcome: 'not-needed', isUnlimited: credits === null && limit === null }
    const available = unreserved({ credits: credits ?? undefined, reservedCredits })
    if (available < wanted.credits) return { outcome: 'insufficient-credits', available }
    if (needsSlot && active >= limit) return { outcome: 'team-limit', limit, active }
    // The team changed between the update and the select of its state. Try again.
  }
}

interface TeamState {
  readonly isReserved: boolean
  readonly credits: number | null
  readonly reservedCredits: number
  readonly maxConcurrency: number | null
  readonly active: number
}

async function tryReserve(db: Kysely<Database>, wanted: Reservation): Promise<TeamState | undefined> {
  const { id, teamId, nodeId, credits, slot } = wanted
  const isNeeded =
    nodeId === undefined
      ? sql`true`
      : sql`(credits is not null and ${credits} > 0 or ${slot !== undefined} and max_concurrency is not null)`
  const hasSlot =
    slot === undefined
      ? sql`true`
      : sql`(max_concurrency is null or active_sessions + active_scrapes < max_concurrency)`
  const { rows } = await sql<TeamState>`
    with reserved as (
      update team set reserved_credits = reserved_credits + ${credits}::bigint,
        active_sessions = active_sessions + ${slot === 'session' ? 1 : 0}::integer,
        active_scrapes = active_scrapes + ${slot === 'scrape' ? 1 : 0}::integer
      where id = ${teamId} and ${isNeeded} and ${canPay(credits)} and ${hasSlot}
      returning id
    ), held as (
      insert into hold (id, team_id, node_id, credits, slot)
      select ${id}::uuid, id, ${nodeId ?? null}::uuid, ${credits}::integer, ${slot ?? null}::text from reserved
    )
    select exists (select from reserved) as is_reserved, credits, reserved_credits, max_concurrency,
      active_sessions + active_scrapes as active
    from team where id = ${teamId}`.execute(db)
  return rows[0]
}

/** Whether the unreserved credits of a row of `team` cover a cost. */
function canPay(credits: number): RawBuilder<boolean> {
  return sql`(credits is null or credits - reserved_credits >= ${credits}::bigint)`
}

/**
 * Raises a hold by some credits, for work that costs more than expected. Returns `false` and
 * changes nothing if the team cannot pay them. A hold that is gone, because its node was considered
 * dead, is not raised: the work has been done, so `settle` bills it anyway.
 */
export async function raise(
  db: Kysely<Database>,
  { holdId, credits }: { readonly holdId: string; readonly credits: number },
): Promise<boolean> {
  const { rows } = await sql<{ isHeld: boolean; isRaised: boolean }>`
    with held as (
      select id, team_id from hold where id = ${holdId} for update
    ), reserved as (
      update team set reserved_credits = reserved_credits + ${credits}::bigint
      where id in (select team_id from held) and ${canPay(credits)}
      returning id
    ), raised as (
      update hold set credits = credits + ${credits}::integer
      where id = ${holdId} and exists (select from reserved)
    )
    select exists (select from held) as is_held, exists (select from reserved) as is_raised`.execute(db)
  return rows[0]?.isHeld !== true || rows[0].isRaised
}

/** Lowers a hold by some credits, for work that will cost less than expected. */
export async function lower(
  db: Kysely<Database>,
  { holdId, credits }: { readonly holdId: string; readonly credits: number },
): Promise<void> {
  await sql`
    with lowered as (
      update hold set credits = credits - ${credits}::integer where id = ${holdId} returning team_id
    )
    update team set reserved_credits = reserved_credits - ${credits}::bigint
    where id in (select team_id from lowered)`.execute(db)
}

/**
 * Bills work and removes its hold. Never refuses: work that may exceed its hold raises it first.
 * Without a hold, or if it was released because its node was considered dead, the team is debited
 * even below zero. Throws if the work has been billed before.
 */
export async function settle(db: Kysely<Database>, holdId: string | undefined, charge: Charge): Promise<void> {
  if (holdId === undefined) return addCharges(db, [charge])
  await sql`
    with ${removeHolds(sql`id = ${holdId}`, charge.credits)}, debited as (
      update team set credits = credits - ${charge.credits}::bigint
      where id = ${charge.teamId} and credits is not null and not exists (select from held)
    )
    insert into ledger ${ledgerRows([charge])}`.execute(db)
}

/** Returns the credits of a hold. 0 if it is gone. */
export async function heldCredits(db: Kysely<Database>, holdId: string): Promise<number> {
  const row = await db.selectFrom('hold').select('credits').where('id', '=', holdId).executeTakeFirst()
  return row?.credits ?? 0
}

/** Releases a hold without billing its work. Idempotent. */
export async function release(db: Kysely<Database>, holdId: string): Promise<void> {
  await sql`with ${removeHolds(sql`id = ${holdId}`)} select from held`.execute(db)
}

/** Releases the holds of all work that ran on a dead node. */
export async function releaseHoldsOfNode(db: Kysely<Database>, nodeId: string): Promise<void> {
  await sql`with ${removeHolds(sql`node_id = ${nodeId}`)} select from held`.execute(db)
}

/** Adds charges of work without holds, in one statement. Debits teams even below zero. */
export async function addCharges(db: Kysely<Database>, charges: readonly Charge[]): Promise<void> {
  // Skipping unmetered teams avoids a pointless update of the same row for every scrape.
  await sql`
    with billed as (
      insert into ledger ${ledgerRows(charges)} returning team_id, credits
    ), owed as (
      select team_id, sum(credits) as credits from billed group by team_id
    )
    update team set credits = team.credits - owed.credits
    from owed where team.id = owed.team_id and team.credits is not null`.execute(db)
}

/** Removes holds and debits their team by a price. */
function removeHolds(which: RawBuilder<unknown>, price = 0): RawBuilder<unknown> {
  return sql`held as (
      delete from hold where ${which} returning team_id, credits, slot
    ), freed as (
      select team_id, sum(credits) as credits, count(*) filter (where slot = 'session') as sessions,
        count(*) filter (where slot = 'scrape') as scrapes
      from held group by team_id
    ), updated as (
      update team set credits = team.credits - ${price}::bigint,
        reserved_credits = team.reserved_credits - freed.credits,
        active_sessions = team.active_sessions - freed.sessions,
        active_scrapes = team.active_scrapes - freed.scrapes
      from freed where team.id = freed.team_id
    )`
}

function ledgerRows(charges: readonly Charge[]): RawBuilder<unknown> {
  const rows = charges.map(
    ({ teamId, apiKeyId, kind, subjectId, credits, createdAt = new Date() }) =>
      sql`(${uuidV7()}::uuid, ${teamId}::uuid, ${apiKeyId}::uuid, ${kind}::text, ${subjectId}::uuid, ${credits}::integer, ${createdAt}::timestamptz)`,
  )
  return sql`(id, team_id, api_key_id, kind, subject_id, credits, created_at) values ${sql.join(rows)}`
}
