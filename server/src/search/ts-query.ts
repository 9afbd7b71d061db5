import { sql, type RawBuilder } from 'kysely'

/** Longer than the keys of any page. PostgreSQL rejects keys above 2 kB. */
const maxKeyLength = 500

/** Quotes a lexeme or search key for the text form of a `tsquery` or `tsvector`. */
export function quoteLexeme(lexeme: string): string {
  return `'${lexeme.slice(0, maxKeyLength).replaceAll(/['\\]/g, (mark) => mark + mark)}'`
}

/** A `tsquery` that matches pages with all of these keys. */
export function keysQuery(keys: readonly string[]): RawBuilder<unknown> {
  return sql`${keys.map(quoteLexeme).join(' & ')}::tsquery`
}

/** A `tsquery` that matches pages with any of these keys. */
export function anyKeyQuery(keys: readonly string[]): RawBuilder<unknown> {
  return sql`${keys.map(quoteLexeme).join(' | ')}::tsquery`
}

/** A `tsquery` for all words of a text, in any of some text search configurations. */
export function wordsQuery(configurations: readonly string[], words: string): RawBuilder<unknown> {
  return inEach(configurations, (each) => sql`plainto_tsquery(${each}::regconfig, ${words})`)
}

/** A `tsquery` for a phrase, in any of some text search configurations. */
export function phraseQuery(configurations: readonly string[], phrase: string): RawBuilder<unknown> {
  return inEach(configurations, (each) => sql`phraseto_tsquery(${each}::regconfig, ${phrase})`)
}

function inEach(
  configurations: readonly string[],
  query: (configuration: string) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`(${sql.join(configurations.map(query), sql` || `)})`
}
