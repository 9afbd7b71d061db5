import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/**
 * Replaces old charges by their sums per team, UTC day, API key and kind of work, in one statement.
 * Usage, balances and the time of the last charge do not change. `before` must be the start of a
 * UTC day. Returns the number of replaced charges, at most `limit`. Several servers can call it at
 * once.
 */
export async function rollUpLedger(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  // The lateral query reads the index of a team by time, instead of the whole ledger.
  const { rows } = await sql<{ readonly count: number }>`
    with old as (
      select charge.id from team cross join lateral (
        select id from ledger where team_id = team.id and created_at < ${before}::timestamptz
        order by created_at limit ${limit} for update skip locked
      ) charge limit ${limit}
    ), removed as (
      delete from ledger using old where ledger.id = old.id
      returning team_id, (created_at at time zone 'UTC')::date as day, api_key_id, kind, credits, created_at
    ), summed as (
      insert into ledger_day (team_id, day, api_key_id, kind, credits, charges, last_charge_at)
      select team_id, day, api_key_id, kind, sum(credits), count(*), max(created_at) from removed
      group by team_id, day, api_key_id, kind
      order by team_id, day, api_key_id, kind
      on conflict (team_id, day, api_key_id, kind) do update set
        credits = ledger_day.credits + excluded.credits,
        charges = ledger_day.charges + excluded.charges,
        last_charge_at = greatest(ledger_day.last_charge_at, excluded.last_charge_at)
    )
    select count(*)::integer as count from removed`.execute(db)
  return rows[0]?.count ?? 0
}
