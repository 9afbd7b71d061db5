/** Creates running work, rate limits and the activity log, and indexes the ledger by time. */
export const usage: readonly string[] = [
  `alter table team
    add column plan_credits bigint,
    add column active_scrapes integer not null default 0,
    add column rate_limits text`,
  `update team set plan_credits = credits`,
  // Other nodes release the rows of a dead node, so node_id has no foreign key.
  `create table running_work (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    node_id uuid not null,
    credits integer not null,
    started_at timestamptz not null default now()
  )`,
  `create index running_work_of_node on running_work (node_id)`,
  `create table rate_window (
    team_id uuid not null references team (id) on delete cascade,
    bucket text not null,
    started_at timestamptz not null,
    used integer not null,
    primary key (team_id, bucket)
  )`,
  `create table activity (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    endpoint text not null,
    api_version text not null,
    target text,
    created_at timestamptz not null
  )`,
  `create index activity_of_team on activity (team_id, created_at desc, id desc)`,
  `create index activity_by_age on activity (created_at)`,
  // Allows an index-only scan for monthly sums.
  `create index ledger_usage on ledger (team_id, created_at) include (api_key_id, credits)`,
  `drop index ledger_of_team`,
]
