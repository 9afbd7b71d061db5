/**
 * Splits a text into the words of the search index. A name such as `PROFILE_LOCKED` is a word, and
 * its parts are as well. The site receives the source of this function, so it refers to nothing
 * outside.
 */
export function tokenize(text: string): string[] {
  const names = text.match(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+/gu) ?? []
  return text.split(/[\n\r\p{Z}\p{P}]+/u).concat(names)
}

/** Returns the factor by which a word of a query counts. Whole names count more than their parts. */
export function boostTerm(term: string): number {
  return term.includes('_') ? 10 : 1
}

/**
 * Returns the factor by which a section counts for a word of a query. Error codes are looked up in
 * the list of errors, and the changelog mentions everything.
 */
export function boostDocument(id: string, term: string): number {
  if (id.includes('/changelog')) return 0.2
  return term.includes('_') && id.includes('/reference/errors') ? 3 : 1
}
