/** Creates sums of old charges, and indexes the state of tracked pages by age. */
export const ledgerDays: readonly string[] = [
  `create table ledger_day (
    team_id uuid not null references team (id) on delete cascade,
    day date not null,
    api_key_id uuid not null references api_key (id) on delete cascade,
    kind text not null,
    credits bigint not null,
    charges bigint not null,
    last_charge_at timestamptz not null,
    primary key (team_id, day, api_key_id, kind)
  )`,
  `create index tracked_page_by_age on tracked_page (scraped_at)`,
]
