/** Names and metadata of sessions, and indexes to find sessions by them. */
export const sessionLabels: readonly string[] = [
  `alter table session add column name text, add column metadata jsonb`,
  `create index session_name on session (team_id, name) where name is not null`,
  `create index session_metadata on session using gin (metadata jsonb_path_ops) where metadata is not null`,
]
