import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema.ts'
import type { Term } from './query-terms.ts'
import { anyKeyQuery, keysQuery, phraseQuery, quoteLexeme, wordsQuery } from './ts-query.ts'

/** A query of the search index. */
export interface PageSearch {
  /** PostgreSQL text search configurations, all of which are searched. */
  readonly configurations: readonly string[]
  /** Searched words. Pages should contain all of them, and are ranked by them. */
  readonly terms: readonly Term[]
  /** Words of which at least one must occur. Empty: no condition. */
  readonly anyOf: readonly Term[]
  /** Words of phrases and alternatives, by which pages are also ranked. */
  readonly rankedBy: readonly Term[]
  /** Groups of words and phrases. At least one of each group must occur. */
  readonly textsAnyOf: readonly (readonly { readonly kind: string; readonly value: string }[])[]
  /** Phrases that must occur, after stemming. */
  readonly phrases: readonly string[]
  /** Phrases that must occur literally, ignoring case. */
  readonly exactPhrases: readonly string[]
  readonly excludedTexts: readonly string[]
  readonly excludedPhrases: readonly string[]
  readonly keys: readonly string[]
  /** Groups of keys. At least one of each group must match. */
  readonly keysAnyOf: readonly (readonly string[])[]
  /** Groups of keys. Pages that match all keys of a group are excluded. */
  readonly excludedKeys: readonly (readonly string[])[]
  /** Keys whose pages are among those that are ranked. */
  readonly preferredKeys: readonly string[]
  /** Average characters of a page of the team. */
  readonly averageLength: number
  readonly from: Date | undefined
  readonly until: Date | undefined
  readonly limit: number
}

/** A search result. */
export interface FoundPage {
  readonly url: string
  readonly title: string
  readonly description: string
  /** Start of the text. Empty if the query has no words. */
  readonly body: string
  readonly datedAt: Date
  /** Share of the weight of the searched words that the page contains, from 0 to 1. */
  readonly share: number
}

/**
 * Maximum pages of each condition that are ranked. Ranking reads all words of a page, and exact
 * phrases are searched in its whole text.
 */
const maxCandidates = 300

/** Characters of a text from which excerpts are made. */
const maxExcerpted = 10_000

/** Constants of BM25: how soon further occurrences stop counting, and how much length counts. */
const saturation = 2
const lengthShare = 0.9

/** Occurrences in the text that one in the title counts as. */
const titleOccurrences = 3

/** How much it counts that two words of the query stand close together, in this order. */
const nearShare = 1.5
const nearWords = 3

/** Minimum share of the searched weight that a page contains, if there are such pages. */
const minShare = 0.3

/** Searches the index. Returns the best pages first or, without search words, the newest. */
export async function findIndexedPages(db: Kysely<Database>, search: PageSearch): Promise<readonly FoundPage[]> {
  const ranking = [...search.terms, ...search.anyOf, ...search.rankedBy]
  const hits = candidateQueries(search).map(
    (query) => sql`
      (select team_id, url_hash, words, dated_at, length from indexed_page
       where words @@ ${query} ${exactPhraseConditions(search)} ${datesOf(search)} limit ${sql.lit(maxCandidates)})`,
  )
  const body = ranking.length === 0 ? sql`''` : sql`left(page.body, ${sql.lit(maxExcerpted)})`
  const { rows } = await sql<FoundPage>`
    with hit as materialized (${sql.join(hits, sql` union all `)}),
    -- Reads each vector once, not once per word. OFFSET keeps the parts from being merged.
    candidate as (
      select team_id, url_hash, dated_at, length, words || ''::tsvector as words from (
        select distinct on (team_id, url_hash) * from hit order by team_id, url_hash) each offset 0),
    rated as (
      select team_id, url_hash, dated_at, length, ${occurrencesOf(ranking)} as occurrences,
        ${nearnessOf(search.terms)} as nearness
      from candidate offset 0),
    best as (
      select team_id, url_hash, dated_at, ${scoreOf(ranking, search.averageLength)} as score,
        ${shareOf(search.terms)} as share
      from rated order by (${shareOf(search.terms)} >= ${minShare}) desc, score desc, dated_at desc limit ${search.limit})
    select page.url, page.title, page.description, page.dated_at, best.share, ${body} as body
    from best join indexed_page page using (team_id, url_hash)
    order by (best.share >= ${minShare}) desc, best.score desc, best.dated_at desc`.execute(db)
  const [first] = rows
  return first !== undefined && first.share >= minShare ? rows.filter(({ share }) => share >= minShare) : rows
}

/**
 * How often a page contains each term. `ts_rank` with equal weights sums up 1/n² for the n-th
 * occurrence, from which the number follows, as the sum of all that are missing is 1/(n + 0.5).
 */
function occurrencesOf(terms: readonly Term[]): RawBuilder<unknown> {
  const counts = terms.map(({ lexemes }) => {
    const each = lexemes.map((lexeme) => {
      const rank = sql`ts_rank('{1, 1, 1, 1}', words, ${quoteLexeme(lexeme)}::tsquery)::float8`
      return sql`round(1 / (${sql.lit(Math.PI ** 2 / 6)} * (1 - ${rank})) - 0.5)`
    })
    // The forms of a word in several languages are the same occurrences.
    const inTitle = sql`words @@ ${lexemes.map((lexeme) => `${quoteLexeme(lexeme)}:A`).join(' | ')}::tsquery`
    return sql`greatest(${sql.join(each)}) + case when ${inTitle} then ${sql.lit(titleOccurrences - 1)} else 0 end`
  })
  return sql`array[${sql.join(counts)}]::float8[]`
}

/** Sum of the weights of neighbouring words of the query that stand close together in a page. */
function nearnessOf(terms: readonly Term[]): RawBuilder<unknown> {
  const ordered = terms.toSorted((left, right) => left.position - right.position)
  const pairs = ordered.slice(1).map((term, index) => {
    const before = ordered[index] ?? term
    const distances = Array.from({ length: nearWords }, (_, distance) => `<${distance + 1}>`)
    const query = distances.map((distance) => `(${anyForm(before)} ${distance} ${anyForm(term)})`).join(' | ')
    const weight = Math.min(before.weight, term.weight)
    return sql`case when words @@ ${query}::tsquery then ${sql.lit(weight)}::float8 else 0 end`
  })
  return pairs.length === 0 ? sql`0` : sql`(${sql.join(pairs, sql` + `)})`
}

function anyForm({ lexemes }: Term): string {
  return `(${lexemes.map(quoteLexeme).join(' | ')})`
}

/** BM25 of the terms, plus their nearness. */
function scoreOf(terms: readonly Term[], averageLength: number): RawBuilder<unknown> {
  if (terms.length === 0) return sql`0`
  const relative =
    averageLength === 0 ? sql`1` : sql`coalesce(length, ${averageLength}::float8) / ${averageLength}::float8`
  const limit = sql`(${sql.lit(saturation * (1 - lengthShare))} + ${sql.lit(saturation * lengthShare)} * ${relative})`
  const sum = terms.map(({ weight }, index) => {
    const occurrences = sql`occurrences[${sql.lit(index + 1)}]`
    return sql`${sql.lit(weight * (saturation + 1))} * ${occurrences} / (${occurrences} + ${limit})`
  })
  return sql`(${sql.join(sum, sql` + `)} + ${sql.lit(nearShare)} * nearness)`
}

function shareOf(terms: readonly Term[]): RawBuilder<unknown> {
  if (terms.length === 0) return sql`1::float8`
  const total = terms.reduce((sum, { weight }) => sum + weight, 0)
  const parts = terms.map(
    ({ weight }, index) =>
      sql`case when occurrences[${sql.lit(index + 1)}] > 0 then ${sql.lit(weight / total)} else 0 end`,
  )
  return sql`(${sql.join(parts, sql` + `)})::float8`
}

/**
 * Conditions whose pages are ranked: all words, then rare words, then pairs of words, so that a
 * page that lacks a word is found without reading all pages that contain a common word.
 */
function candidateQueries(search: PageSearch): readonly RawBuilder<unknown>[] {
  const required = conditionsOf(search)
  const { terms } = search
  if (terms.length === 0) return [required]
  const all = terms.map(({ query }) => query).join(' & ')
  const preferred = search.preferredKeys
  return [
    ...(preferred.length === 0 ? [] : [sql`(${required} && ${all}::tsquery && ${keysQuery(preferred)})`]),
    ...(terms.length === 1 ? [all] : [all, ...partialQueries(terms)]).map(
      (query) => sql`(${required} && ${query}::tsquery)`,
    ),
  ]
}

/** Maximum common words of which pairs are searched. */
const maxPaired = 5

function partialQueries(terms: readonly Term[]): readonly string[] {
  const byPages = terms.filter(({ pages }) => pages > 0).toSorted((left, right) => left.pages - right.pages)
  let pages = 0
  const rare = byPages.filter((term, index) => {
    pages += term.pages
    return index === 0 || pages <= maxCandidates
  })
  const paired = byPages.slice(rare.length, rare.length + maxPaired)
  const pairs = paired.flatMap((left, index) =>
    paired.slice(index + 1).map((right) => `(${left.query} & ${right.query})`),
  )
  // Without counts, every word may be rare.
  const single = (rare.length === 0 ? terms : rare).map(({ query }) => query)
  return [single.join(' | '), ...(pairs.length === 0 ? [] : [pairs.join(' | ')])]
}

function conditionsOf(search: PageSearch): RawBuilder<unknown> {
  const { configurations, phrases, textsAnyOf, anyOf, excludedTexts, excludedPhrases, excludedKeys, keysAnyOf } = search
  const exclusions = [
    ...excludedTexts.map((text) => wordsQuery(configurations, text)),
    ...excludedPhrases.map((phrase) => phraseQuery(configurations, phrase)),
    ...excludedKeys.map((keys) => sql`(${keysQuery(keys)})`),
  ]
  const alternatives = textsAnyOf.map((group) => {
    const queries = group.map(({ kind, value }) =>
      kind === 'phrase' ? phraseQuery(configurations, value) : wordsQuery(configurations, value),
    )
    return sql`(${sql.join(queries, sql` || `)})`
  })
  const conditions = [
    ...phrases.map((phrase) => phraseQuery(configurations, phrase)),
    ...alternatives,
    ...(anyOf.length === 0 ? [] : [sql`${anyOf.map(({ query }) => query).join(' | ')}::tsquery`]),
    keysQuery(search.keys),
    ...keysAnyOf.map(anyKeyQuery),
    ...exclusions.map((query) => sql`!!${query}`),
  ]
  return sql`(${sql.join(conditions, sql` && `)})`
}

/** Matches quoted phrases as whole words in the text, as the index contains only stems. */
function exactPhraseConditions({ exactPhrases }: PageSearch): RawBuilder<unknown> {
  const conditions = exactPhrases.map(
    (text) => sql`and lower(title || ' | ' || description || ' | ' || body) ~ ${patternOf(text.toLowerCase())}`,
  )
  return sql.join(conditions, sql` `)
}

function patternOf(text: string): string {
  const literal = text.replaceAll(/[^\p{L}\p{N}\s]/gu, String.raw`\$&`).replaceAll(/\s+/g, ' ')
  const edge = (letter: string | undefined, mark: string): string => (/[a-z\d]/.test(letter ?? '') ? mark : '')
  return `${edge(text.at(0), String.raw`\m`)}${literal}${edge(text.at(-1), String.raw`\M`)}`
}

function datesOf({ from, until }: PageSearch): RawBuilder<unknown> {
  const conditions = [
    ...(from === undefined ? [] : [sql`and dated_at >= ${from}`]),
    ...(until === undefined ? [] : [sql`and dated_at <= ${until}`]),
  ]
  return sql.join(conditions, sql` `)
}
