import { sql, type Kysely } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import type { CheckStatus } from 'bowline/contract/monitor-checks'
import type { CheckLease } from './monitor-checks.ts'
import type { Database } from './schema.ts'

/** Reserves the credits of a check. Idempotent. Returns `false` if the team cannot pay. */
export async function reserveCheck(
  db: Kysely<Database>,
  check: { readonly id: string; readonly teamId: string; readonly credits: number },
): Promise<boolean> {
  const { rows } = await sql<{ isReserved: boolean }>`
    with reserving as (
      select id from monitor_check where id = ${check.id} and billing_status = 'not_applicable' for update
    ), paid as (
      update team set reserved_credits = reserved_credits + ${check.credits}::bigint
      where id = ${check.teamId} and exists (select from reserving)
        and (credits is null or credits - reserved_credits >= ${check.credits}::bigint)
      returning id
    ), reserved as (
      update monitor_check set reserved_credits = ${check.credits}::integer, billing_status = 'reserved'
      where id = ${check.id} and exists (select from paid)
      returning id
    )
    select exists (select from reserved) or not exists (select from reserving) as is_reserved`.execute(db)
  return rows[0]?.isReserved ?? false
}

/**
 * Raises the reservation of a check that exceeds its estimate. Returns `false` if the team cannot
 * pay.
 */
export async function raiseReservation(
  db: Kysely<Database>,
  check: { readonly id: string; readonly teamId: string; readonly credits: number },
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with paid as (
      update team set reserved_credits = reserved_credits + ${check.credits}::bigint
      where id = ${check.teamId} and (credits is null or credits - reserved_credits >= ${check.credits}::bigint)
      returning id
    )
    update monitor_check set reserved_credits = coalesce(reserved_credits, 0) + ${check.credits}::integer
    where id = ${check.id} and exists (select from paid)
    returning id`.execute(db)
  return rows.length > 0
}

/** How a check ended. */
export interface CheckOutcome {
  readonly status: CheckStatus
  readonly summary: string
  readonly targetResults: string
  readonly error: string | undefined
  readonly credits: number
}

/**
 * Ends a check, bills it and releases its reservation in one statement. Returns `false` and changes
 * nothing if the lease was lost.
 */
export async function endCheck(db: Kysely<Database>, lease: CheckLease, outcome: CheckOutcome): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with ended as (
      update monitor_check
      set status = ${outcome.status}, summary = ${outcome.summary}, target_results = ${outcome.targetResults},
        error = ${outcome.error ?? null}::text, finished_at = now(), updated_at = now(), actual_credits = ${outcome.credits}::integer,
        lease_node_id = null, lease_expires_at = null,
        billing_status = case when billing_status <> 'reserved' then billing_status
          when ${outcome.credits}::integer > 0 then 'confirmed' else 'released' end
      where id = ${lease.id} and fence = ${lease.fence}::bigint and status = 'running'
      returning id, monitor_id, team_id, coalesce(reserved_credits, 0) as reserved, finished_at, billing_status
    ), billed as (
      insert into ledger (id, team_id, api_key_id, kind, subject_id, credits, created_at)
      select ${uuidV7()}::uuid, ended.team_id, monitor.api_key_id, 'monitor', ended.id, ${outcome.credits}::integer,
        date_trunc('milliseconds', ended.finished_at)
      from ended join monitor on monitor.id = ended.monitor_id
      where ended.billing_status = 'confirmed'
    ), debited as (
      update team set
        credits = credits - case when ended.billing_status = 'confirmed' then ${outcome.credits}::bigint else 0 end,
        reserved_credits = reserved_credits - ended.reserved
      from ended where team.id = ended.team_id
    ), updated_monitor as (
      update monitor set last_check_summary = ${outcome.summary}, last_run_at = ended.finished_at
      from ended where monitor.id = ended.monitor_id
    )
    select id from ended`.execute(db)
  return rows.length > 0
}
