import { sql } from 'kysely'
import type { Cost } from 'bowline/contract/usage'
import { agentTarget, extractTarget } from './job-list.ts'
import type { Store } from '../store/store.ts'

/** Selects the work of a team that was created between `from` (inclusive) and `to` (exclusive). */
export interface CostFilter {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly limit: number
}

interface CostRow {
  readonly kind: Cost['kind']
  readonly id: string
  readonly target: string | null
  readonly pages: number | null
  readonly credits: string
  readonly createdAt: Date
}

/**
 * Lists the sessions, jobs and monitors of a team that have cost most, the most expensive first. A
 * monitor costs the sum of its checks in the time.
 */
export async function listCosts(
  { db }: Pick<Store, 'db'>,
  teamId: string,
  { from = new Date(0), to = new Date(), limit }: CostFilter,
): Promise<readonly Cost[]> {
  const selected = sql`team_id = ${teamId} and created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz`
  const top = sql`order by credits desc, created_at desc limit ${limit}`
  const { rows } = await sql<CostRow>`
    select kind, id::text as id, target, pages, credits::text as credits, created_at as "createdAt" from (
      (select 'session' as kind, id, name as target, null::int as pages, credits_billed::bigint as credits, created_at from session
        where ${selected} and credits_billed > 0 ${top})
      union all
      (select kind, id, nullif(target, ''), total, credits::bigint, created_at from job
        where ${selected} and credits > 0 ${top})
      union all
      (select 'extract', id, ${extractTarget}, null, credits::bigint, created_at from extract_job
        where ${selected} and credits > 0 ${top})
      union all
      (select 'agent', id, ${agentTarget}, null, credits::bigint, created_at from agent_job
        where ${selected} and credits > 0 ${top})
      union all
      (select 'monitor', monitor.id, monitor.name, null, spent.credits, spent.created_at from monitor join (
        select monitor_id, sum(actual_credits)::bigint as credits, max(created_at) as created_at from monitor_check
        where ${selected} and actual_credits > 0 group by monitor_id ${top}
      ) as spent on spent.monitor_id = monitor.id)
    ) as work
    order by work.credits desc, created_at desc, id limit ${limit}`.execute(db)
  return rows.map(({ kind, id, target, pages, credits, createdAt }) => ({
    kind,
    id,
    target: target ?? undefined,
    pages: pages ?? undefined,
    credits: Number(credits),
    createdAt: createdAt.toISOString(),
  }))
}
