/** Creates artifacts: files and recordings stored beyond the end of a session. */
export const artifacts: readonly string[] = [
  `alter table session add column keep_files boolean not null default false`,
  `alter table session add column record text`,
  `create table artifact (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    session_id uuid not null,
    kind text not null check (kind in ('file', 'recording')),
    name text not null,
    details text not null default '{}',
    bytes bigint,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    unique (session_id, kind, name)
  )`,
  `create index artifact_by_expiry on artifact (expires_at)`,
]
