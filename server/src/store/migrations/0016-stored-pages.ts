/** Stores loaded pages, compressed, from which other formats can be generated later. */
export const storedPages: readonly string[] = [
  `alter table scrape add column page_facts text`,
  `alter table scrape add column page bytea`,
  `alter table scrape alter column page set storage external`,
]
