/** Creates agents and their steps. `json`, because results have the order of their schema. */
export const agents: readonly string[] = [
  `create table agent_job (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    api_key_id uuid not null references api_key (id) on delete cascade,
    request json not null,
    status text not null default 'processing' check (status in ('processing', 'completed', 'failed', 'cancelled')),
    answer json,
    error text,
    stop_reason text,
    credits integer not null default 0,
    created_at timestamptz not null default now(),
    finished_at timestamptz
  )`,
  `create index agent_job_by_age on agent_job (created_at)`,
  `create table agent_step (
    job_id uuid not null references agent_job (id) on delete cascade,
    sequence integer not null,
    credits integer not null,
    messages json not null,
    events json not null,
    primary key (job_id, sequence)
  )`,
]
