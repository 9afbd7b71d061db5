/** Creates the files that clients upload before they parse them. Blobs are named after their ids. */
export const parseUploads: readonly string[] = [
  `create table parse_upload (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    content_type text,
    secret text not null,
    state text not null default 'new',
    created_at timestamptz not null default now()
  )`,
  `create index parse_upload_by_team on parse_upload (team_id, created_at)`,
]
