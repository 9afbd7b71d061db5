/** Creates scrapes and the tracked state of pages. */
export const scrapes: readonly string[] = [
  `create table scrape (
    id uuid primary key,
    team_id uuid not null references team (id) on delete cascade,
    cache_key text,
    document text,
    has_blobs boolean not null,
    secret text not null,
    created_at timestamptz not null default now()
  )`,
  `create index scrape_cached on scrape (team_id, cache_key, created_at desc) where cache_key is not null`,
  `create index scrape_by_age on scrape (created_at)`,
  `create table tracked_page (
    team_id uuid not null references team (id) on delete cascade,
    tracking_key text not null,
    markdown text not null,
    extracted text,
    scraped_at timestamptz not null default now(),
    primary key (team_id, tracking_key)
  )`,
]
