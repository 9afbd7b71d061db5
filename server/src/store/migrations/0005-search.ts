/** Creates the search index. */
export const search: readonly string[] = [
  // `words` contains the text and search keys: team, hosts, words of title and URL. Keys contain a
  // space, so they cannot collide with words. This way one index serves every operator.
  `create table indexed_page (
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
  )`,
  `create index indexed_page_words on indexed_page using gin (words)`,
  `create index indexed_page_by_age on indexed_page (team_id, scraped_at)`,
]
