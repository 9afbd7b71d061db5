/**
 * Stores documents as compressed bytes. Existing documents stay uncompressed and are recognized by
 * their first byte. Disables compression in the database, which is weaker and would block the
 * embedded one's only thread.
 */
export const packedScrapes: readonly string[] = [
  `alter table scrape alter column document type bytea using convert_to(document, 'UTF8')`,
  `alter table scrape alter column document set storage external`,
]
