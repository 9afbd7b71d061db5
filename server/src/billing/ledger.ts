import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/** Credits that a team used in a month or day. */
export interface UsageRow {
  /** First instant of the period, UTC. */
  readonly start: Date
  /** Name of the API key. `undefined` if the usage is not broken down by key. */
  readonly apiKey: string | undefined
  /** Kind of work. `undefined` if the usage is not broken down by kind. */
  readonly kind: string | undefined
  readonly credits: number
}

/** Filter and grouping of `sumUsage`. */
export interface UsageFilter {
  readonly teamId: string
  readonly period: 'month' | 'day'
  readonly byApiKey: boolean
  /** Default: false. */
  readonly byKind?: boolean | undefined
  /** Start of a UTC day. Default: all usage. */
  readonly from?: Date | undefined
  /** Start of the UTC day after the last one. Default: no limit. */
  readonly to?: Date | undefined
}

/** Sums the charges of a team by period, oldest first, then by key name and kind. */
export async function sumUsage(db: Kysely<Database>, filter: UsageFilter): Promise<readonly UsageRow[]> {
  const { teamId, period, byApiKey, byKind = false, from = new Date(0), to = null } = filter
  // Without the kind, an index has all columns.
  const kind = byKind ? sql`kind` : sql`null::text`
  // Sums by key id before joining names, so that an index-only scan is enough for a million charges.
  const { rows } = await sql<SummedRow>`
    with spent as (
      select date_trunc(${period}::text, created_at at time zone 'UTC') as started, api_key_id, ${kind} as kind,
        sum(credits) as credits
      from ledger
      where team_id = ${teamId} and created_at >= ${from}::timestamptz
        and (${to}::timestamptz is null or created_at < ${to}::timestamptz)
      group by 1, 2, 3
      union all
      select date_trunc(${period}::text, day::timestamp), api_key_id, ${kind}, sum(credits)
      from ledger_day
      where team_id = ${teamId} and day >= (${from}::timestamptz at time zone 'UTC')::date
        and (${to}::timestamptz is null or day < (${to}::timestamptz at time zone 'UTC')::date)
      group by 1, 2, 3
    )
    select started at time zone 'UTC' as start, ${byApiKey ? sql`coalesce(api_key.name, 'Unknown')` : sql`null::text`} collate "C" as name,
      kind collate "C" as kind, sum(credits)::text as credits
    from spent left join api_key on api_key.id = spent.api_key_id
    group by 1, 2, 3
    order by 1, 2, 3`.execute(db)
  return rows.map(({ start, name, kind: kindName, credits }) => ({
    start,
    apiKey: name ?? undefined,
    kind: kindName ?? undefined,
    credits: Number(credits),
  }))
}

interface SummedRow {
  readonly start: Date
  readonly name: string | null
  readonly kind: string | null
  readonly credits: string
}

/** Returns the time of a team's last charge, or `undefined`. */
export async function lastBilledAt(db: Kysely<Database>, teamId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ readonly last: Date | null }>`
    select greatest(
      (select created_at from ledger where team_id = ${teamId} order by created_at desc limit 1),
      (select max(last_charge_at) from ledger_day where team_id = ${teamId})) as last`.execute(db)
  return rows[0]?.last ?? undefined
}
