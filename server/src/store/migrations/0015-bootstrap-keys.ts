/** Adds the bootstrap key and blob storage of each node, so that nodes can compare them. */
export const bootstrapKeys: readonly string[] = [
  `alter table api_key
    add column is_bootstrap boolean not null default false,
    add column retired_at timestamptz`,
  `update api_key set is_bootstrap = true where name = 'bootstrap' and role = 'admin'`,
  `alter table node
    add column bootstrap_key_id uuid,
    add column blobs text`,
  `create index session_active_of_key on session (api_key_id) where status = 'active'`,
]
