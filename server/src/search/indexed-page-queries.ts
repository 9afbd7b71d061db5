import { sha256 } from 'bowline/kit/sha256'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema.ts'
import type { TsVectors } from './tsvectors.ts'

/** A page to index. */
export interface IndexedPage {
  readonly teamId: string
  readonly url: string
  readonly title: string
  readonly description: string
  readonly body: string
  /** Words of the URL. */
  readonly path: string
  /** PostgreSQL text search configuration, such as `english`. */
  readonly configuration: string
  /**
   * Search keys in addition to the words. Each contains a space, so that it cannot collide with a
   * word.
   */
  readonly keys: readonly string[]
  readonly publishedAt: Date | undefined
}

/**
 * Inserts or replaces pages in the search index. `pages` must be unique by team and URL. `vectors`
 * computes their text vectors. Default: the database does.
 */
export async function saveIndexedPages(
  db: Kysely<Database>,
  pages: readonly IndexedPage[],
  vectors?: TsVectors,
): Promise<void> {
  const bodies = await readBodyVectors(pages, vectors)
  const nowMs = Date.now()
  const rows = pages.map((page, index) => {
    // Distinct times, so that later pages in the batch count as newer.
    const now = new Date(nowMs - pages.length + index)
    const { teamId, url, title, description, body, publishedAt } = page
    const urlHash = sha256(url)
    const known = { teamId, url, urlHash, title, description, body }
    return { ...known, words: vectorOf(page, bodies), datedAt: publishedAt ?? now, scrapedAt: now }
  })
  await db
    .insertInto('indexedPage')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['teamId', 'urlHash']).doUpdateSet((eb) => ({
        title: eb.ref('excluded.title'),
        description: eb.ref('excluded.description'),
        body: eb.ref('excluded.body'),
        words: eb.ref('excluded.words'),
        scrapedAt: eb.ref('excluded.scrapedAt'),
        datedAt: sql<Date>`case when indexed_page.body = excluded.body then indexed_page.dated_at else excluded.dated_at end`,
      })),
    )
    // Commits without waiting for the disk, for this transaction only: a page lost in a power cut
    // is scraped again.
    .returning(sql`set_config('synchronous_commit', 'off', true)`.as('sync'))
    .execute()
}

/** Returns the text vector of a page's body in a text search configuration. */
type BodyVectors = (page: IndexedPage, configuration: string) => RawBuilder<string>

async function readBodyVectors(pages: readonly IndexedPage[], vectors: TsVectors | undefined): Promise<BodyVectors> {
  if (vectors === undefined) {
    return ({ body }, configuration) => sql`to_tsvector(${configuration}::regconfig, ${body})`
  }
  const wanted = pages.flatMap((page) =>
    configurationsFor(page.configuration).map((configuration) => ({ page, configuration })),
  )
  const read = await vectors.read(wanted.map(({ page, configuration }) => ({ configuration, text: page.body })))
  const known = new Map(pages.map((page) => [page, new Map<string, string>()]))
  for (const [index, { page, configuration }] of wanted.entries()) {
    known.get(page)?.set(configuration, read[index] ?? '')
  }
  return (page, configuration) => sql`${known.get(page)?.get(configuration) ?? ''}::tsvector`
}

/** Adds `simple` for other languages, so that words are also found without stemming. */
function configurationsFor(configuration: string): readonly string[] {
  return configuration === 'english' ? ['english'] : [configuration, 'simple']
}

function vectorOf(page: IndexedPage, bodies: BodyVectors): RawBuilder<string> {
  const { title, path, description, keys } = page
  const weighted = (configuration: string, text: string, weight: string): RawBuilder<string> =>
    sql`setweight(to_tsvector(${configuration}::regconfig, ${text}), ${sql.lit(weight)})`
  const vectors = configurationsFor(page.configuration).map(
    (each) => sql`${weighted(each, title, 'A')} || ${weighted(each, description, 'C')} || ${bodies(page, each)}`,
  )
  return sql`${sql.join(vectors, sql` || `)} || ${weighted('simple', path, 'B')} || array_to_tsvector(${keys}::text[])`
}

/** A query of the search index. */
export interface PageSearch {
  /** PostgreSQL text search configurations, all of which are searched. */
  readonly configurations: readonly string[]
  /** Words that must all occur, after stemming. */
  readonly text: string
  /** Words of which at least one must occur. Empty: no condition. */
  readonly anyOf: readonly string[]
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
  /** Keys whose pages are ranked first. */
  readonly preferredKeys: readonly string[]
  readonly from: Date | undefined
  readonly until: Date | undefined
  readonly limit: number
}

/** A search result. */
export interface FoundPage {
  readonly url: string
  readonly title: string
  readonly description: string
  /** Matching excerpt of the text. Empty if the query has no words. */
  readonly snippet: string
  readonly datedAt: Date
}

/**
 * Maximum pages that are ranked. Ranking reads all words of a page, and exact phrases are searched
 * in its whole text.
 */
const maxCandidates = { ranked: 1000, read: 300 } as const

/** Searches the index. Returns the best pages first or, without search words, the newest. */
export async function findIndexedPages(db: Kysely<Database>, search: PageSearch): Promise<readonly FoundPage[]> {
  const ranked = rankedQuery(search)
  const all = conditionsOf(search, ranked)
  const most = search.exactPhrases.length > 0 ? maxCandidates.read : maxCandidates.ranked
  const candidates = (query: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    (select team_id, url_hash, words, dated_at from indexed_page
     where words @@ ${query} ${exactPhraseConditions(search)} ${datesOf(search)} limit ${sql.lit(most)})`
  const best =
    search.preferredKeys.length === 0 ? undefined : candidates(sql`(${all} && ${keysQuery(search.preferredKeys)})`)
  const hits = best === undefined ? candidates(all) : sql`${best} union all ${candidates(all)}`
  const rank = ranked === undefined ? sql`0` : sql`ts_rank_cd('{0.1, 0.2, 0.4, 1.0}', words, ${ranked}, 1)`
  const snippet =
    ranked === undefined
      ? sql`''`
      : sql`ts_headline(${search.configurations[0] ?? 'simple'}::regconfig, left(page.body, 20000), ${ranked},
          'MaxWords=35, MinWords=15, MaxFragments=2, FragmentDelimiter=" … ", StartSel="", StopSel=""')`
  const { rows } = await sql<FoundPage>`
    with hit as (${hits}),
    best as (
      select team_id, url_hash, max(${rank}) as rank, max(dated_at) as dated_at from hit
      group by team_id, url_hash order by rank desc, dated_at desc limit ${search.limit})
    select page.url, page.title, page.description, page.dated_at, ${snippet} as snippet
    from best join indexed_page page using (team_id, url_hash)
    order by best.rank desc, best.dated_at desc`.execute(db)
  return rows
}

/** Returns the part of the query that pages are ranked by, or `undefined` if it has no words. */
function rankedQuery({
  configurations,
  text,
  anyOf,
  textsAnyOf,
  phrases,
}: PageSearch): RawBuilder<unknown> | undefined {
  const conditions = [
    ...(text === '' ? [] : [wordsQuery(configurations, text)]),
    ...phrases.map((phrase) => phraseQuery(configurations, phrase)),
    ...textsAnyOf.map((group) => {
      const queries = group.map(({ kind, value }) =>
        kind === 'phrase' ? phraseQuery(configurations, value) : wordsQuery(configurations, value),
      )
      return sql`(${sql.join(queries, sql` || `)})`
    }),
    ...(anyOf.length === 0
      ? []
      : [inEach(configurations, (each) => sql`websearch_to_tsquery(${each}::regconfig, ${anyOf.join(' or ')})`)]),
  ]
  return conditions.length === 0 ? undefined : sql`(${sql.join(conditions, sql` && `)})`
}

function inEach(
  configurations: readonly string[],
  query: (configuration: string) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`(${sql.join(configurations.map(query), sql` || `)})`
}

function wordsQuery(configurations: readonly string[], words: string): RawBuilder<unknown> {
  return inEach(configurations, (each) => sql`plainto_tsquery(${each}::regconfig, ${words})`)
}

function phraseQuery(configurations: readonly string[], phrase: string): RawBuilder<unknown> {
  return inEach(configurations, (each) => sql`phraseto_tsquery(${each}::regconfig, ${phrase})`)
}

function keysQuery(keys: readonly string[]): RawBuilder<unknown> {
  return sql`${keys.map(quoted).join(' & ')}::tsquery`
}

/** Longer than the keys of any page. PostgreSQL rejects keys above 2 kB. */
const maxKeyLength = 500

function quoted(key: string): string {
  return `'${key.slice(0, maxKeyLength).replaceAll(/['\\]/g, (mark) => mark + mark)}'`
}

function conditionsOf(search: PageSearch, ranked: RawBuilder<unknown> | undefined): RawBuilder<unknown> {
  const { configurations, excludedTexts, excludedPhrases, excludedKeys, keysAnyOf } = search
  const exclusions = [
    ...excludedTexts.map((text) => wordsQuery(configurations, text)),
    ...excludedPhrases.map((phrase) => phraseQuery(configurations, phrase)),
    ...excludedKeys.map((keys) => sql`(${keysQuery(keys)})`),
  ]
  const conditions = [
    ...(ranked === undefined ? [] : [ranked]),
    keysQuery(search.keys),
    ...keysAnyOf.map((keys) => sql`${keys.map(quoted).join(' | ')}::tsquery`),
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

/** Returns titles and descriptions of some pages that have all of these keys. */
export async function sampleIndexedPages(
  db: Kysely<Database>,
  keys: readonly string[],
  limit: number,
): Promise<readonly Pick<FoundPage, 'title' | 'description'>[]> {
  const { rows } = await sql<FoundPage>`
    select title, description from indexed_page where words @@ ${keysQuery(keys)} limit ${limit}`.execute(db)
  return rows
}

/** Whether a team has pages in the index. */
export async function hasIndexedPages(db: Kysely<Database>, teamId: string): Promise<boolean> {
  const row = await db
    .selectFrom('indexedPage')
    .select('teamId')
    .where('teamId', '=', teamId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes pages scraped before a time, and all but the newest `perTeam` pages of each team. */
export async function sweepIndexedPages(
  db: Kysely<Database>,
  { before, perTeam }: { readonly before: Date; readonly perTeam: number },
): Promise<void> {
  await sql`
    delete from indexed_page page using (
      select team_id, url_hash, scraped_at, row_number() over (partition by team_id order by scraped_at desc) as age_rank
      from indexed_page) old
    where page.team_id = old.team_id and page.url_hash = old.url_hash
      and (old.age_rank > ${perTeam} or old.scraped_at < ${before})`.execute(db)
}
