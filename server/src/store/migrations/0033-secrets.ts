/** Creates the secrets of teams, and the restrictions that keys carry for `/mcp`. */
export const secrets: readonly string[] = [
  `create table secret (
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    kind text not null,
    origins jsonb not null,
    value text not null,
    key_id text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (team_id, name)
  )`,
  `alter table api_key add column mcp jsonb`,
]
