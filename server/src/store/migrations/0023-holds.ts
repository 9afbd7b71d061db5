/** Keeps the reservations of all work in one table of holds. */
export const holds: readonly string[] = [
  `alter table running_work rename to hold`,
  `alter table hold rename column started_at to created_at`,
  `alter index running_work_pkey rename to hold_pkey`,
  `alter index running_work_of_node rename to hold_of_node`,
  // Null for work that survives its node: sessions, checks and extractions end by their own rows.
  `alter table hold alter column node_id drop not null`,
  `alter table hold add column slot text check (slot in ('session', 'scrape'))`,
  `update hold set slot = 'scrape'`,
  `insert into hold (id, team_id, credits, slot, created_at)
    select id, team_id, reserved_credits, 'session', created_at from session where status = 'active'`,
  `insert into hold (id, team_id, credits, created_at)
    select id, team_id, coalesce(reserved_credits, 0), created_at from monitor_check
    where status in ('queued', 'running') and billing_status = 'reserved'`,
  // Extractions were charged at their start. Running ones get a hold in place of the charge.
  `with charged as (
      delete from ledger using extract_job
      where kind = 'extract' and subject_id = extract_job.id and extract_job.status = 'processing'
      returning ledger.subject_id, ledger.team_id, ledger.credits, ledger.created_at
    ), held as (
      insert into hold (id, team_id, credits, created_at) select subject_id, team_id, credits, created_at from charged
    )
    update team set credits = team.credits + owed.credits, reserved_credits = team.reserved_credits + owed.credits
    from (select team_id, sum(credits) as credits from charged group by team_id) as owed
    where team.id = owed.team_id`,
]
