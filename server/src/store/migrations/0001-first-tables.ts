/** Creates teams, keys, nodes, sessions, the ledger and settings. */
export const firstTables: readonly string[] = [
  `create table team (
    id uuid primary key,
    name text not null unique,
    credits bigint,
    reserved_credits bigint not null default 0,
    active_sessions integer not null default 0,
    max_sessions integer,
    created_at timestamptz not null default now()
  )`,
  `create table api_key (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    hash text not null unique,
    prefix text not null,
    role text not null check (role in ('admin', 'member')),
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  `create index api_key_of_team on api_key (team_id, created_at)`,
  `create table node (
    id uuid primary key,
    url text,
    slots integer not null,
    live integer not null default 0,
    started_at timestamptz not null default now(),
    heartbeat_at timestamptz not null default now(),
    draining boolean not null default false
  )`,
  // Ended sessions outlive their node, so node_id has no foreign key.
  `create table session (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    api_key_id uuid not null references api_key (id) on delete cascade,
    node_id uuid not null,
    status text not null default 'active' check (status in ('active', 'destroyed', 'error')),
    end_reason text,
    ttl_seconds integer not null,
    activity_ttl_seconds integer not null,
    stream_web_view boolean not null,
    on_browser_close text not null check (on_browser_close in ('disconnect', 'delete')),
    profile_name text,
    profile_save boolean,
    secret text not null,
    reserved_credits integer not null,
    idempotency_key text,
    request_hash text,
    created_at timestamptz not null,
    last_activity_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    duration_ms integer,
    credits_billed integer,
    error text
  )`,
  `create unique index session_idempotency_key on session (team_id, idempotency_key) where idempotency_key is not null`,
  `create index session_of_team on session (team_id, created_at desc, id desc)`,
  `create index session_active_on_node on session (node_id) where status = 'active'`,
  `create table ledger (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    api_key_id uuid not null references api_key (id) on delete cascade,
    kind text not null,
    subject_id uuid not null,
    credits integer not null,
    created_at timestamptz not null,
    unique (kind, subject_id)
  )`,
  `create index ledger_of_team on ledger (team_id, created_at)`,
  `create table setting (key text primary key, value text not null)`,
]
