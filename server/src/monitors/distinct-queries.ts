/**
 * Returns the queries of a search target without those that differ from an earlier one only in case
 * or white space. `OR` is an operator, and `or` a word.
 */
export function distinctQueries(queries: readonly string[]): readonly string[] {
  return [...new Map(queries.toReversed().map((query) => [meaningOf(query), query])).values()].toReversed()
}

function meaningOf(query: string): string {
  const words = query.match(/\S+/g) ?? []
  return words.map((word) => (word === 'OR' ? word : word.toLowerCase())).join(' ')
}
