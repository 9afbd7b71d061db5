/** Creates webhook deliveries and signing secrets. */
export const webhooks: readonly string[] = [
  `create table webhook_delivery (
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
  )`,
  `create index webhook_delivery_of_team on webhook_delivery (team_id, id desc)`,
  `create index webhook_delivery_of_job on webhook_delivery (job_id, id desc)`,
  `create index webhook_delivery_by_age on webhook_delivery (created_at)`,
  `create table webhook_secret (
    team_id uuid primary key references team (id) on delete cascade,
    secret text not null,
    created_at timestamptz not null default now()
  )`,
]
