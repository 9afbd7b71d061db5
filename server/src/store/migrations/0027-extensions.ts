/** Creates the extensions that teams upload. Their blobs are named after their ids. */
export const extensions: readonly string[] = [
  `create table extension (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    version text not null,
    bytes bigint not null,
    content_bytes bigint not null,
    is_stored boolean not null default false,
    created_at timestamptz not null default now()
  )`,
  `create index extension_by_team on extension (team_id, created_at)`,
]
