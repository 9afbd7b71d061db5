/**
 * Documents come compressed; those from before stay as they are, and are told by their first byte. The database would
 * compress them itself, less well, and an embedded one in the only thread that it has.
 */
export const packedScrapes: readonly string[] = [
  `alter table scrape alter column document type bytea using convert_to(document, 'UTF8')`,
  `alter table scrape alter column document set storage external`,
]
