/** Creates extract jobs. */
export const extract: readonly string[] = [
  `create table extract_job (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    api_key_id uuid not null references api_key (id) on delete cascade,
    request text not null,
    status text not null default 'processing' check (status in ('processing', 'completed', 'failed')),
    answer text,
    error text,
    credits integer,
    created_at timestamptz not null default now()
  )`,
  `create index extract_job_by_age on extract_job (created_at)`,
]
