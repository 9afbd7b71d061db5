import { sha256 } from 'bowline/kit/sha256'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema.ts'
import { pairVector } from './pair-vector.ts'
import { keysQuery } from './ts-query.ts'
import type { TsVectors } from './tsvectors.ts'
import { summedChanges } from './word-count-queries.ts'

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

/** Returns those of the pages that are in the search index. */
export async function findIndexed<Page extends Pick<IndexedPage, 'teamId' | 'url'>>(
  db: Kysely<Database>,
  pages: readonly Page[],
): Promise<readonly Page[]> {
  if (pages.length === 0) return []
  const keys = pages.map((page) => ({ page, teamId: page.teamId, urlHash: sha256(page.url) }))
  const hashes = keys.map(({ teamId, urlHash }) => sql`(${teamId}::uuid, ${urlHash}::bytea)`)
  const rows = await db
    .selectFrom('indexedPage')
    .select(['teamId', 'urlHash'])
    .where(sql<boolean>`(team_id, url_hash) in (${sql.join(hashes)})`)
    .execute()
  const isFound = (teamId: string, hash: Buffer): boolean =>
    rows.some((row) => row.teamId === teamId && hash.equals(row.urlHash))
  return keys.filter(({ teamId, urlHash }) => isFound(teamId, urlHash)).map(({ page }) => page)
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
    const known = { teamId, url, urlHash, title, description, body, length: title.length + body.length }
    return { ...known, words: vectorOf(page, bodies), datedAt: publishedAt ?? now, scrapedAt: now }
  })
  // In order, so that servers that save the same pages at once cannot block each other forever.
  rows.sort((left, right) => left.teamId.localeCompare(right.teamId) || left.urlHash.compare(right.urlHash))
  const hashes = rows.map(({ teamId, urlHash }) => sql`(${teamId}::uuid, ${urlHash}::bytea)`)
  await db
    .with(
      'old',
      () => sql<OldPage>`(
      select team_id, url_hash, words, length from indexed_page where (team_id, url_hash) in (${sql.join(hashes)})
      -- Waits for a server that saves the same page, and reads what that server has written.
      order by team_id, url_hash for update)`,
    )
    .with('saved', (query) =>
      query
        .insertInto('indexedPage')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['teamId', 'urlHash']).doUpdateSet((eb) => ({
            title: eb.ref('excluded.title'),
            description: eb.ref('excluded.description'),
            body: eb.ref('excluded.body'),
            words: eb.ref('excluded.words'),
            length: eb.ref('excluded.length'),
            scrapedAt: eb.ref('excluded.scrapedAt'),
            datedAt: sql<Date>`case when indexed_page.body = excluded.body then indexed_page.dated_at else excluded.dated_at end`,
          })),
        )
        .returning(['teamId', 'urlHash', 'words', 'length', sql<boolean>`xmax = 0`.as('isNew')]),
    )
    .insertInto('indexedWordChange')
    .columns(['teamId', 'words', 'counts'])
    .expression(
      summedChanges(sql`
        select team_id, words, length, -1 as change from old where length is not null
        union all
        select team_id, words, length, 1 as change from saved
        -- A page that another server saved at the same time is counted there.
        where is_new or exists (select from old where old.team_id = saved.team_id and old.url_hash = saved.url_hash)`),
    )
    // Commits without waiting for the disk, for this transaction only: a page lost in a power cut
    // is scraped again.
    .returning(sql`set_config('synchronous_commit', 'off', true)`.as('sync'))
    .execute()
}

interface OldPage {
  readonly teamId: string
  readonly urlHash: Buffer
  readonly words: string
  readonly length: number | null
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
  return sql`${sql.join(vectors, sql` || `)} || ${weighted('simple', path, 'B')} || array_to_tsvector(${keys}::text[]) || ${pairVector(page)}::tsvector`
}

/** Returns titles and descriptions of some pages that have all of these keys. */
export async function sampleIndexedPages(
  db: Kysely<Database>,
  keys: readonly string[],
  limit: number,
): Promise<readonly Pick<IndexedPage, 'title' | 'description'>[]> {
  const { rows } = await sql<Pick<IndexedPage, 'title' | 'description'>>`
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

/** Pages that a statement deletes at most. */
const maxSwept = 500

/**
 * Deletes pages scraped before a time, and all but the newest `perTeam` pages of each team, a part
 * of them at a time. Returns whether there may be more.
 */
export async function sweepIndexedPages(
  db: Kysely<Database>,
  { before, perTeam }: { readonly before: Date; readonly perTeam: number },
): Promise<boolean> {
  const { rows } = await sql<{ pages: number }>`
    with gone as (
      delete from indexed_page page using (
        select team_id, url_hash from (
          select team_id, url_hash, scraped_at,
            row_number() over (partition by team_id order by scraped_at desc) as age_rank
          from indexed_page) aged
        where age_rank > ${perTeam} or scraped_at < ${before} limit ${sql.lit(maxSwept)}) old
      where page.team_id = old.team_id and page.url_hash = old.url_hash
      returning page.team_id, page.words, page.length, -1 as change),
    saved as (
      insert into indexed_word_change (team_id, words, counts)
      ${summedChanges(sql`select * from gone where length is not null`)})
    select count(*) as pages from gone`.execute(db)
  return Number(rows[0]?.pages) === maxSwept
}
