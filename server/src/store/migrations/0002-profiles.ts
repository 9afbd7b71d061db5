/** Creates profiles, their versions and write leases, and adds the profile result to sessions. */
export const profiles: readonly string[] = [
  // Every lease increments the fence, so that late writes of earlier holders are rejected.
  `create table profile (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    current_version integer,
    last_version integer not null default 0,
    fence bigint not null default 1,
    lease_session_id uuid,
    lease_node_id uuid,
    lease_expires_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (team_id, name)
  )`,
  `create index profile_leased_by_node on profile (lease_node_id) where lease_node_id is not null`,
  `create table profile_version (
    profile_id uuid not null references profile (id) on delete cascade,
    version integer not null,
    blob text not null unique,
    key_id text not null,
    stored_bytes bigint not null,
    content_bytes bigint not null,
    browser text not null,
    session_id uuid,
    saved_at timestamptz not null default now(),
    primary key (profile_id, version)
  )`,
  `alter table session add column profile_version integer`,
  `alter table session add column profile_error text`,
]
