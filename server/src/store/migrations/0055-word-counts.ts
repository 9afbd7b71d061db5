/** Creates the word counts of the search index, from which pages are ranked. */
export const wordCounts: readonly string[] = [
  // Null: indexed by an earlier version, and its words are not counted yet.
  `alter table indexed_page add column length integer`,
  `create index indexed_page_uncounted on indexed_page (team_id, url_hash) where length is null`,
  // In bytewise order, so that words are found by their first letters.
  `create table indexed_word (
    team_id uuid not null references team (id) on delete cascade,
    word text collate "C" not null,
    pages bigint not null,
    primary key (team_id, word)
  )`,
  `create index indexed_word_by_end on indexed_word (team_id, (reverse(word) collate "C"))`,
  // Changes of counts. Servers only add rows, so they never wait for each other; a fold sums them up.
  `create table indexed_word_change (
    id uuid primary key default gen_random_uuid(),
    team_id uuid not null references team (id) on delete cascade,
    words text[] not null,
    counts integer[] not null
  )`,
]
