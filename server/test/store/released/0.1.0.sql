-- What 0.1.0 adds to the schema, written by dump-schema.ts. Never edit the schema of a release.
-- 0025-session-labels
alter table session add column name text, add column metadata jsonb;
create index session_name on session (team_id, name) where name is not null;
create index session_metadata on session using gin (metadata jsonb_path_ops) where metadata is not null;
-- 0026-session-webhooks
alter table session add column webhook json;
-- 0027-extensions
create table extension (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    version text not null,
    bytes bigint not null,
    content_bytes bigint not null,
    is_stored boolean not null default false,
    created_at timestamptz not null default now()
  );
create index extension_by_team on extension (team_id, created_at);
-- 0028-scrape-replays
alter table scrape add column replay text;
-- 0029-parse-uploads
create table parse_upload (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    content_type text,
    secret text not null,
    state text not null default 'new',
    created_at timestamptz not null default now()
  );
create index parse_upload_by_team on parse_upload (team_id, created_at);
-- 0030-session-prompts
alter table session add column is_prompted boolean not null default false;
-- 0031-audit-username
alter table activity add column audit_username text;
-- 0032-agents
create table agent_job (
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
  );
create index agent_job_by_age on agent_job (created_at);
create table agent_step (
    job_id uuid not null references agent_job (id) on delete cascade,
    sequence integer not null,
    credits integer not null,
    messages json not null,
    events json not null,
    primary key (job_id, sequence)
  );
-- 0033-secrets
create table secret (
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    kind text not null,
    origins jsonb not null,
    value text not null,
    key_id text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (team_id, name)
  );
alter table api_key add column mcp jsonb;
-- 0035-audit-log
create table audit_event (
    id uuid primary key,
    action text not null,
    team_id uuid,
    by_key_id uuid,
    address text,
    request_id text,
    details jsonb not null,
    created_at timestamptz not null
  );
create index audit_event_by_age on audit_event (created_at desc, id desc);
-- 0036-session-alive
alter table session add column alive_until timestamptz;
-- 0037-ledger-days
create table ledger_day (
    team_id uuid not null references team (id) on delete cascade,
    day date not null,
    api_key_id uuid not null references api_key (id) on delete cascade,
    kind text not null,
    credits bigint not null,
    charges bigint not null,
    last_charge_at timestamptz not null,
    primary key (team_id, day, api_key_id, kind)
  );
create index tracked_page_by_age on tracked_page (scraped_at);
-- Kysely
insert into kysely_migration (name, timestamp) values
  ('0025-session-labels', '1970-01-01T00:00:00.023Z'),
  ('0026-session-webhooks', '1970-01-01T00:00:00.024Z'),
  ('0027-extensions', '1970-01-01T00:00:00.025Z'),
  ('0028-scrape-replays', '1970-01-01T00:00:00.026Z'),
  ('0029-parse-uploads', '1970-01-01T00:00:00.027Z'),
  ('0030-session-prompts', '1970-01-01T00:00:00.028Z'),
  ('0031-audit-username', '1970-01-01T00:00:00.029Z'),
  ('0032-agents', '1970-01-01T00:00:00.030Z'),
  ('0033-secrets', '1970-01-01T00:00:00.031Z'),
  ('0035-audit-log', '1970-01-01T00:00:00.032Z'),
  ('0036-session-alive', '1970-01-01T00:00:00.033Z'),
  ('0037-ledger-days', '1970-01-01T00:00:00.034Z');
