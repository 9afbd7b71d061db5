import { createHash } from 'node:crypto'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from './schema.ts'
import type { TextVectors } from './text-vectors.ts'

/** A page as it enters the index. */
export interface IndexedPage {
  readonly teamId: string
  readonly url: string
  readonly title: string
  readonly description: string
  readonly body: string
  /** Words of the address. */
  readonly path: string
  /** Of PostgreSQL, such as `english`. */
  readonly configuration: string
  /** What it can be found by beside its words; each has a space in it. */
  readonly keys: readonly string[]
  readonly publishedAt: Date | undefined
}

/** Puts pages into the index, each in place of what it said before. No two of them may have the same team and address. `vectors` reads their texts. Default: the database does. */
export async function saveIndexedPages(
  db: Kysely<Database>,
  pages: readonly IndexedPage[],
  vectors?: TextVectors,
): Promise<void> {
  const bodies = await readBodies(pages, vectors)
  const nowMs = Date.now()
  const rows = pages.map((page, index) => {
    // The later page is the newer one, though they are written at once.
    const now = new Date(nowMs - pages.length + index)
    const { teamId, url, title, description, body, publishedAt } = page
    const urlHash = createHash('sha256').update(url).digest()
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
    // For this statement alone: a page that a power cut takes out of the index is scraped again, and bills need not wait.
    .returning(sql`set_config('synchronous_commit', 'off', true)`.as('sync'))
    .execute()
}

/** Makes the vector of the body of a page by a configuration. */
type Bodies = (page: IndexedPage, configuration: string) => RawBuilder<string>

async function readBodies(pages: readonly IndexedPage[], vectors: TextVectors | undefined): Promise<Bodies> {
  if (vectors === undefined) return ({ body }, of) => sql`to_tsvector(${of}::regconfig, ${body})`
  const wanted = pages.flatMap((page) => configurationsFor(page.configuration).map((of) => ({ page, of })))
  const read = await vectors.read(wanted.map(({ page, of }) => ({ configuration: of, text: page.body })))
  const known = new Map(pages.map((page) => [page, new Map<string, string>()]))
  for (const [index, { page, of }] of wanted.entries()) known.get(page)?.set(of, read[index] ?? '')
  return (page, of) => sql`${known.get(page)?.get(of) ?? ''}::tsvector`
}

/** English is what every query is read as, too; words of other languages are found in the form they have, as well. */
function configurationsFor(configuration: string): readonly string[] {
  return configuration === 'english' ? ['english'] : [configuration, 'simple']
}

function vectorOf(page: IndexedPage, bodies: Bodies): RawBuilder<string> {
  const { configuration, title, path, description, keys } = page
  const text = (of: string, value: string, weight: string): RawBuilder<string> =>
    sql`setweight(to_tsvector(${of}::regconfig, ${value}), ${sql.lit(weight)})`
  const by = (of: string): RawBuilder<string> =>
    sql`${text(of, title, 'A')} || ${text(of, description, 'C')} || ${bodies(page, of)}`
  const texts = configurationsFor(configuration).map(by)
  return sql`${sql.join(texts, sql` || `)} || ${text('simple', path, 'B')} || array_to_tsvector(${keys}::text[])`
}

/** What is looked for in the index. */
export interface PageSearch {
  /** Of PostgreSQL: the texts are read in each. */
  readonly configurations: readonly string[]
  /** Words of which all must be there, in any form. */
  readonly text: string
  /** Words of which one must be there; empty: none. */
  readonly anyOf: readonly string[]
  /** Lists of words and phrases of which one each must be there. */
  readonly textsAnyOf: readonly (readonly { readonly kind: string; readonly value: string }[])[]
  /** Words in this order, in any form. */
  readonly phrases: readonly string[]
  /** What has to be there letter by letter, in capitals or not. */
  readonly exactly: readonly string[]
  readonly excludedTexts: readonly string[]
  readonly excludedPhrases: readonly string[]
  readonly keys: readonly string[]
  /** Lists of which one key each must be there. */
  readonly keysAnyOf: readonly (readonly string[])[]
  /** Lists of which not every key may be there. */
  readonly excludedKeys: readonly (readonly string[])[]
  /** Keys that put a page before others. */
  readonly preferredKeys: readonly string[]
  readonly from: Date | undefined
  readonly until: Date | undefined
  readonly limit: number
}

/** A page that was found. */
export interface FoundPage {
  readonly url: string
  readonly title: string
  readonly description: string
  /** The place in its text that has to do with the query; empty when the query has no words. */
  readonly snippet: string
  readonly datedAt: Date
}

/** Most pages that are ranked: ranking reads all words of each, and what stands in quotes is looked for in all text of each. */
const maxCandidates = { ranked: 1000, read: 300 } as const

/** Finds pages of the index, the best first; without words to look for, the newest first. */
export async function findIndexedPages(db: Kysely<Database>, wish: PageSearch): Promise<readonly FoundPage[]> {
  const ranked = rankedQuery(wish)
  const all = conditionsOf(wish, ranked)
  const most = wish.exactly.length > 0 ? maxCandidates.read : maxCandidates.ranked
  const candidates = (query: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    (select team_id, url_hash, words, dated_at from indexed_page
     where words @@ ${query} ${exactlyOf(wish)} ${datesOf(wish)} limit ${sql.lit(most)})`
  const best =
    wish.preferredKeys.length === 0 ? undefined : candidates(sql`(${all} && ${keysQuery(wish.preferredKeys)})`)
  const hits = best === undefined ? candidates(all) : sql`${best} union all ${candidates(all)}`
  const rank = ranked === undefined ? sql`0` : sql`ts_rank_cd('{0.1, 0.2, 0.4, 1.0}', words, ${ranked}, 1)`
  const snippet =
    ranked === undefined
      ? sql`''`
      : sql`ts_headline(${wish.configurations[0] ?? 'simple'}::regconfig, left(page.body, 20000), ${ranked},
          'MaxWords=35, MinWords=15, MaxFragments=2, FragmentDelimiter=" … ", StartSel="", StopSel=""')`
  const { rows } = await sql<FoundPage>`
    with hit as (${hits}),
    best as (
      select team_id, url_hash, max(${rank}) as rank, max(dated_at) as dated_at from hit
      group by team_id, url_hash order by rank desc, dated_at desc limit ${wish.limit})
    select page.url, page.title, page.description, page.dated_at, ${snippet} as snippet
    from best join indexed_page page using (team_id, url_hash)
    order by best.rank desc, best.dated_at desc`.execute(db)
  return rows
}

/** The part of the query that tells better from worse; undefined when nothing does. */
function rankedQuery({
  configurations,
  text,
  anyOf,
  textsAnyOf,
  phrases,
}: PageSearch): RawBuilder<unknown> | undefined {
  const parts = [
    ...(text === '' ? [] : [inEach(configurations, (of) => sql`plainto_tsquery(${of}::regconfig, ${text})`)]),
    ...phrases.map((phrase) => phraseQuery(configurations, phrase)),
    ...textsAnyOf.map((group) => {
      const queries = group.map(({ kind, value }) =>
        kind === 'phrase'
          ? phraseQuery(configurations, value)
          : inEach(configurations, (of) => sql`plainto_tsquery(${of}::regconfig, ${value})`),
      )
      return sql`(${sql.join(queries, sql` || `)})`
    }),
    ...(anyOf.length === 0
      ? []
      : [inEach(configurations, (of) => sql`websearch_to_tsquery(${of}::regconfig, ${anyOf.join(' or ')})`)]),
  ]
  return parts.length === 0 ? undefined : sql`(${sql.join(parts, sql` && `)})`
}

function inEach(
  configurations: readonly string[],
  query: (configuration: string) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`(${sql.join(configurations.map(query), sql` || `)})`
}

function phraseQuery(configurations: readonly string[], phrase: string): RawBuilder<unknown> {
  return inEach(configurations, (of) => sql`phraseto_tsquery(${of}::regconfig, ${phrase})`)
}

function keysQuery(keys: readonly string[]): RawBuilder<unknown> {
  return sql`${keys.map(quoted).join(' & ')}::tsquery`
}

/** The database takes no key above 2 kB. No page has one as long as this. */
const maxKeyLength = 500

function quoted(key: string): string {
  return `'${key.slice(0, maxKeyLength).replaceAll(/['\\]/g, (mark) => mark + mark)}'`
}

function conditionsOf(wish: PageSearch, ranked: RawBuilder<unknown> | undefined): RawBuilder<unknown> {
  const { configurations, excludedTexts, excludedPhrases, excludedKeys, keysAnyOf } = wish
  const nots = [
    ...excludedTexts.map((text) => inEach(configurations, (of) => sql`plainto_tsquery(${of}::regconfig, ${text})`)),
    ...excludedPhrases.map((phrase) => phraseQuery(configurations, phrase)),
    ...excludedKeys.map((keys) => sql`(${keysQuery(keys)})`),
  ]
  const parts = [
    ...(ranked === undefined ? [] : [ranked]),
    keysQuery(wish.keys),
    ...keysAnyOf.map((keys) => sql`${keys.map(quoted).join(' | ')}::tsquery`),
    ...nots.map((not) => sql`!!${not}`),
  ]
  return sql`(${sql.join(parts, sql` && `)})`
}

/** The index knows stems; what stands in quotes has to be there as whole words. */
function exactlyOf({ exactly }: PageSearch): RawBuilder<unknown> {
  const conditions = exactly.map(
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
  const parts = [
    ...(from === undefined ? [] : [sql`and dated_at >= ${from}`]),
    ...(until === undefined ? [] : [sql`and dated_at <= ${until}`]),
  ]
  return sql.join(parts, sql` `)
}

/** Titles and descriptions of some pages with all these keys. */
export async function sampleIndexedPages(
  db: Kysely<Database>,
  keys: readonly string[],
  limit: number,
): Promise<readonly Pick<FoundPage, 'title' | 'description'>[]> {
  const { rows } = await sql<FoundPage>`
    select title, description from indexed_page where words @@ ${keysQuery(keys)} limit ${limit}`.execute(db)
  return rows
}

/** Whether a team has any page in the index. */
export async function hasIndexedPages(db: Kysely<Database>, teamId: string): Promise<boolean> {
  const row = await db
    .selectFrom('indexedPage')
    .select('teamId')
    .where('teamId', '=', teamId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes pages scraped before a time, and of each team those beyond the newest `perTeam`. */
export async function sweepIndexedPages(
  db: Kysely<Database>,
  { before, perTeam }: { readonly before: Date; readonly perTeam: number },
): Promise<void> {
  await sql`
    delete from indexed_page page using (
      select team_id, url_hash, scraped_at, row_number() over (partition by team_id order by scraped_at desc) as place
      from indexed_page) old
    where page.team_id = old.team_id and page.url_hash = old.url_hash
      and (old.place > ${perTeam} or old.scraped_at < ${before})`.execute(db)
}
