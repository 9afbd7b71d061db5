-- The schema of 0.1.0, written by dump-schema.ts. Never edit or rewrite the schema of a release.
-- 0001-first-tables
create table team (
    id uuid primary key,
    name text not null unique,
    credits bigint,
    reserved_credits bigint not null default 0,
    active_sessions integer not null default 0,
    max_sessions integer,
    created_at timestamptz not null default now()
  );
create table api_key (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    name text not null,
    hash text not null unique,
    prefix text not null,
    role text not null check (role in ('admin', 'member')),
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    revoked_at timestamptz
  );
create index api_key_of_team on api_key (team_id, created_at);
create table node (
    id uuid primary key,
    url text,
    slots integer not null,
    live integer not null default 0,
    started_at timestamptz not null default now(),
    heartbeat_at timestamptz not null default now(),
    draining boolean not null default false
  );
create table session (
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
  );
create unique index session_idempotency_key on session (team_id, idempotency_key) where idempotency_key is not null;
create index session_of_team on session (team_id, created_at desc, id desc);
create index session_active_on_node on session (node_id) where status = 'active';
create table ledger (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    api_key_id uuid not null references api_key (id) on delete cascade,
    kind text not null,
    subject_id uuid not null,
    credits integer not null,
    created_at timestamptz not null,
    unique (kind, subject_id)
  );
create index ledger_of_team on ledger (team_id, created_at);
create table setting (key text primary key, value text not null);
-- 0002-profiles
create table profile (
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
  );
create index profile_leased_by_node on profile (lease_node_id) where lease_node_id is not null;
create table profile_version (
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
  );
alter table session add column profile_version integer;
alter table session add column profile_error text;
-- 0003-scrapes
create table scrape (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    cache_key text,
    document text,
    has_blobs boolean not null,
    secret text not null,
    created_at timestamptz not null default now()
  );
create index scrape_cached on scrape (team_id, cache_key, created_at desc) where cache_key is not null;
create index scrape_by_age on scrape (created_at);
create table tracked_page (
    team_id uuid not null references team (id) on delete cascade,
    tracking_key text not null,
    markdown text not null,
    extracted text,
    scraped_at timestamptz not null default now(),
    primary key (team_id, tracking_key)
  );
-- 0004-bulk-jobs
create table bulk_job (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    api_key_id uuid not null,
    kind text not null,
    version text not null,
    status text not null,
    target text not null,
    plan text not null,
    base_url text not null,
    total integer not null default 0,
    completed integer not null default 0,
    failed integer not null default 0,
    credits integer not null default 0,
    error text,
    idempotency_key text,
    request_hash text,
    created_at timestamptz not null,
    finished_at timestamptz,
    expires_at timestamptz not null,
    unique (team_id, idempotency_key)
  );
create index bulk_job_by_team on bulk_job (team_id, created_at desc);
create index bulk_job_by_end on bulk_job (expires_at);
create table bulk_page (
    job_id uuid not null references bulk_job (id) on delete cascade,
    place integer not null,
    url text not null,
    identity text,
    round smallint not null,
    depth smallint not null,
    state text not null default 'queued',
    scrape_id uuid not null,
    seq integer,
    error_code text,
    error text,
    finished_at timestamptz,
    primary key (job_id, place)
  );
create unique index bulk_page_by_seq on bulk_page (job_id, seq) where seq is not null;
create index bulk_page_failed on bulk_page (job_id, place) where state in ('failed', 'blocked');
create unique index bulk_page_once on bulk_page (job_id, identity) where identity is not null;
-- 0005-search
create table indexed_page (
    team_id uuid not null references team (id) on delete cascade,
    url_hash bytea not null,
    url text not null,
    title text not null,
    description text not null,
    body text not null,
    words tsvector not null,
    dated_at timestamptz not null,
    scraped_at timestamptz not null default now(),
    primary key (team_id, url_hash)
  );
create index indexed_page_words on indexed_page using gin (words);
create index indexed_page_by_age on indexed_page (team_id, scraped_at);
-- 0006-webhooks
create table webhook_delivery (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    unique_key text unique,
    event text not null,
    job_id text not null,
    url text not null,
    headers text not null,
    payload text,
    keeps_payload boolean not null default true,
    status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
    attempts text not null default '[]',
    next_attempt_at timestamptz,
    delivered_at timestamptz,
    created_at timestamptz not null default now()
  );
create index webhook_delivery_of_team on webhook_delivery (team_id, id desc);
create index webhook_delivery_of_job on webhook_delivery (job_id, id desc);
create index webhook_delivery_by_age on webhook_delivery (created_at);
create table webhook_secret (
    team_id uuid primary key references team (id) on delete cascade,
    secret text not null,
    created_at timestamptz not null default now()
  );
-- 0007-monitors
create table monitor (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    api_key_id uuid not null references api_key (id) on delete cascade,
    name text not null,
    status text not null default 'active' check (status in ('active', 'paused', 'deleted')),
    cron text not null,
    timezone text not null,
    targets text not null,
    webhook text,
    notification text not null,
    retention_days integer not null,
    goal text,
    judge_enabled boolean not null default false,
    base_url text not null,
    next_run_at timestamptz,
    last_run_at timestamptz,
    last_check_summary text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
create index monitor_of_team on monitor (team_id, created_at desc, id desc) where status <> 'deleted';
create index monitor_due on monitor (next_run_at) where status = 'active';
create table monitor_check (
    id uuid primary key,
    monitor_id uuid not null references monitor (id) on delete cascade,
    team_id uuid not null references team (id) on delete cascade,
    status text not null,
    trigger text not null check (trigger in ('scheduled', 'manual')),
    scheduled_for timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz,
    estimated_credits integer not null,
    reserved_credits integer,
    actual_credits integer,
    billing_status text not null default 'not_applicable',
    summary text,
    target_results text not null default '[]',
    error text,
    lease_node_id uuid,
    lease_expires_at timestamptz,
    fence bigint not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
create unique index monitor_check_open on monitor_check (monitor_id) where status in ('queued', 'running');
create index monitor_check_of_monitor on monitor_check (monitor_id, created_at desc, id desc);
create table monitor_page (
    id uuid primary key,
    check_id uuid not null references monitor_check (id) on delete cascade,
    target_id uuid not null,
    url_hash text not null,
    url text not null,
    status text not null,
    previous_scrape_id uuid,
    current_scrape_id uuid,
    status_code integer,
    error text,
    credits integer not null,
    judgment text,
    diff text,
    snapshot text,
    created_at timestamptz not null default now(),
    unique (check_id, target_id, url_hash)
  );
create index monitor_page_of_check on monitor_page (check_id, id);
create table monitor_state (
    monitor_id uuid not null references monitor (id) on delete cascade,
    target_id uuid not null,
    url_hash text not null,
    url text not null,
    markdown text not null,
    extracted text,
    scrape_id uuid,
    is_gone boolean not null default false,
    checked_at timestamptz not null default now(),
    primary key (monitor_id, target_id, url_hash)
  );
create table mail_subscription (
    id uuid primary key,
    monitor_id uuid not null references monitor (id) on delete cascade,
    email text not null,
    status text not null check (status in ('pending', 'confirmed', 'unsubscribed')),
    source text not null check (source in ('team', 'opt_in')),
    secret text not null,
    confirmation_sent_at timestamptz,
    created_at timestamptz not null default now(),
    unique (monitor_id, email)
  );
create table mail (
    id uuid primary key,
    subscription_id uuid not null references mail_subscription (id) on delete cascade,
    check_id uuid references monitor_check (id) on delete cascade,
    kind text not null check (kind in ('check', 'confirmation')),
    status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'dropped')),
    error text,
    sent_at timestamptz,
    created_at timestamptz not null default now()
  );
create unique index mail_of_check on mail (check_id, kind, subscription_id) where check_id is not null;
-- 0008-usage
alter table team
    add column plan_credits bigint,
    add column active_scrapes integer not null default 0,
    add column rate_limits text;
update team set plan_credits = credits;
create table running_work (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    node_id uuid not null,
    credits integer not null,
    started_at timestamptz not null default now()
  );
create index running_work_of_node on running_work (node_id);
create table rate_window (
    team_id uuid not null references team (id) on delete cascade,
    bucket text not null,
    started_at timestamptz not null,
    used integer not null,
    primary key (team_id, bucket)
  );
create table activity (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    endpoint text not null,
    api_version text not null,
    target text,
    created_at timestamptz not null
  );
create index activity_of_team on activity (team_id, created_at desc, id desc);
create index activity_by_age on activity (created_at);
create index ledger_usage on ledger (team_id, created_at) include (api_key_id, credits);
drop index ledger_of_team;
-- 0009-extract
create table extract_job (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    api_key_id uuid not null references api_key (id) on delete cascade,
    request text not null,
    status text not null default 'processing' check (status in ('processing', 'completed', 'failed')),
    answer text,
    error text,
    credits integer,
    created_at timestamptz not null default now()
  );
create index extract_job_by_age on extract_job (created_at);
-- 0011-artifacts
alter table session add column keep_files boolean not null default false;
alter table session add column record text;
create table artifact (
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
  );
create index artifact_by_expiry on artifact (expires_at);
-- 0012-extract-end
alter table extract_job add column finished_at timestamptz;
-- 0013-packed-scrapes
alter table scrape alter column document type bytea using convert_to(document, 'UTF8');
alter table scrape alter column document set storage external;
-- 0014-activity-errors
alter table activity add column error text;
-- 0015-bootstrap-keys
alter table api_key
    add column is_bootstrap boolean not null default false,
    add column retired_at timestamptz;
update api_key set is_bootstrap = true where name = 'bootstrap' and role = 'admin';
alter table node
    add column bootstrap_key_id uuid,
    add column blobs text;
create index session_active_of_key on session (api_key_id) where status = 'active';
-- 0016-stored-pages
alter table scrape add column page_facts text;
alter table scrape add column page bytea;
alter table scrape alter column page set storage external;
-- 0017-held-pages
alter table bulk_page
    add column holder uuid,
    add column crashes smallint not null default 0,
    add column credits integer not null default 0,
    add column is_uncounted boolean not null default false;
create index bulk_page_free on bulk_page (job_id, crashes, place) where state = 'queued' and holder is null;
create index bulk_page_held on bulk_page (holder) where state = 'queued' and holder is not null;
create index bulk_page_uncounted on bulk_page (job_id) where is_uncounted;
-- 0018-matching-time
alter table bulk_job add column matching_ms integer not null default 0;
-- 0019-source-urls
alter table bulk_page add column source_url text;
-- 0020-job-tables
alter table bulk_job rename to job;
alter table bulk_page rename to job_page;
alter table job_page rename column place to position;
alter index bulk_job_by_team rename to job_by_team;
alter index bulk_job_by_end rename to job_by_end;
alter index bulk_page_by_seq rename to job_page_by_seq;
alter index bulk_page_failed rename to job_page_failed;
alter index bulk_page_once rename to job_page_once;
alter index bulk_page_free rename to job_page_free;
alter index bulk_page_held rename to job_page_held;
alter index bulk_page_uncounted rename to job_page_uncounted;
-- 0021-job-warnings
alter table job add column warning text;
-- 0022-max-concurrency
alter table team rename column max_sessions to max_concurrency;
-- 0023-holds
alter table running_work rename to hold;
alter table hold rename column started_at to created_at;
alter index running_work_pkey rename to hold_pkey;
alter index running_work_of_node rename to hold_of_node;
alter table hold alter column node_id drop not null;
alter table hold add column slot text check (slot in ('session', 'scrape'));
update hold set slot = 'scrape';
insert into hold (id, team_id, credits, slot, created_at)
    select id, team_id, reserved_credits, 'session', created_at from session where status = 'active';
insert into hold (id, team_id, credits, created_at)
    select id, team_id, coalesce(reserved_credits, 0), created_at from monitor_check
    where status in ('queued', 'running') and billing_status = 'reserved';
with charged as (
      delete from ledger using extract_job
      where kind = 'extract' and subject_id = extract_job.id and extract_job.status = 'processing'
      returning ledger.subject_id, ledger.team_id, ledger.credits, ledger.created_at
    ), held as (
      insert into hold (id, team_id, credits, created_at) select subject_id, team_id, credits, created_at from charged
    )
    update team set credits = team.credits + owed.credits, reserved_credits = team.reserved_credits + owed.credits
    from (select team_id, sum(credits) as credits from charged group by team_id) as owed
    where team.id = owed.team_id;
-- 0024-json-columns
alter table job alter column plan type json using plan::json;
alter table session alter column record type jsonb using regexp_replace(record::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb;
alter table extract_job
    alter column request type json using request::json,
    alter column answer type json using answer::json;
alter table artifact
    alter column details drop default,
    alter column details type jsonb using regexp_replace(details::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb,
    alter column details set default '{}';
alter table monitor
    alter column targets type json using targets::json,
    alter column webhook type json using webhook::json,
    alter column notification type jsonb using regexp_replace(notification::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb,
    alter column last_check_summary type jsonb using regexp_replace(last_check_summary::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb;
alter table monitor_check
    alter column summary type jsonb using regexp_replace(summary::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb,
    alter column target_results drop default,
    alter column target_results type jsonb using regexp_replace(target_results::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb,
    alter column target_results set default '[]';
alter table monitor_page
    alter column judgment type jsonb using regexp_replace(judgment::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb,
    alter column diff type json using diff::json,
    alter column snapshot type json using snapshot::json;
alter table webhook_delivery
    alter column headers type json using headers::json,
    alter column attempts drop default,
    alter column attempts type jsonb using regexp_replace(attempts::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb,
    alter column attempts set default '[]';
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
create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer not null default 0);
insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0);
insert into kysely_migration (name, timestamp) values
  ('0001-first-tables', '1970-01-01T00:00:00.000Z'),
  ('0002-profiles', '1970-01-01T00:00:00.001Z'),
  ('0003-scrapes', '1970-01-01T00:00:00.002Z'),
  ('0004-bulk-jobs', '1970-01-01T00:00:00.003Z'),
  ('0005-search', '1970-01-01T00:00:00.004Z'),
  ('0006-webhooks', '1970-01-01T00:00:00.005Z'),
  ('0007-monitors', '1970-01-01T00:00:00.006Z'),
  ('0008-usage', '1970-01-01T00:00:00.007Z'),
  ('0009-extract', '1970-01-01T00:00:00.008Z'),
  ('0011-artifacts', '1970-01-01T00:00:00.009Z'),
  ('0012-extract-end', '1970-01-01T00:00:00.010Z'),
  ('0013-packed-scrapes', '1970-01-01T00:00:00.011Z'),
  ('0014-activity-errors', '1970-01-01T00:00:00.012Z'),
  ('0015-bootstrap-keys', '1970-01-01T00:00:00.013Z'),
  ('0016-stored-pages', '1970-01-01T00:00:00.014Z'),
  ('0017-held-pages', '1970-01-01T00:00:00.015Z'),
  ('0018-matching-time', '1970-01-01T00:00:00.016Z'),
  ('0019-source-urls', '1970-01-01T00:00:00.017Z'),
  ('0020-job-tables', '1970-01-01T00:00:00.018Z'),
  ('0021-job-warnings', '1970-01-01T00:00:00.019Z'),
  ('0022-max-concurrency', '1970-01-01T00:00:00.020Z'),
  ('0023-holds', '1970-01-01T00:00:00.021Z'),
  ('0024-json-columns', '1970-01-01T00:00:00.022Z'),
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
