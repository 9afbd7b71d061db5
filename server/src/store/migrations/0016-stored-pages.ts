/** Pages as they were loaded, from which answers with other formats can be made. They come compressed. */
export const storedPages: readonly string[] = [
  `alter table scrape add column page_facts text`,
  `alter table scrape add column page bytea`,
  `alter table scrape alter column page set storage external`,
]
