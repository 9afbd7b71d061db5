import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema.ts'
import { statisticKey } from './index-keys.ts'

/**
 * Words of the vectors in `changed` (`team_id`, `words`, `length`, `change`), as rows of
 * `indexed_word_change`. Words over 60 characters, mostly hashes and URLs, are left
 * out.
 */
export function summedChanges(changed: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select team_id, array_agg(word), array_agg(change) from (
      select team_id, word, sum(change)::integer as change from (
        select team_id, unnest(tsvector_to_array(words)) as word, change from (${changed}) vectors
        union all
        select team_id, ${statisticKey.length}, length * change from (${changed}) lengths
        union all
        select team_id, ${statisticKey.pages}, change from (${changed}) pages) each
      where length(word) <= 60 and (strpos(word, ' ') = 0 or word ~ '^(pair|language|all) ')
      group by team_id, word having sum(change) <> 0) summed
    group by team_id`
}

/**
 * Adds the changes of up to `limit` writes to the counts of words. Returns the number of writes.
 * Words are locked in order, so servers that do this at once cannot block each other forever.
 */
export async function foldWordChanges(db: Kysely<Database>, limit: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from indexed_word_change where id in (
        select id from indexed_word_change limit ${limit} for update skip locked)
      returning team_id, words, counts),
    added as (
      insert into indexed_word (team_id, word, pages)
      select team_id, word, sum(change) from (
        select team_id, unnest(words) as word, unnest(counts) as change from taken) each
      group by team_id, word having sum(change) <> 0
      order by team_id, word collate "C"
      on conflict (team_id, word) do update set pages = indexed_word.pages + excluded.pages)
    select count(*) as taken from taken, (select set_config('synchronous_commit', 'off', true)) relaxed`.execute(db)
  return rows[0]?.taken ?? 0
}

/**
 * Counts the words of up to `limit` pages that an earlier version indexed. Returns the number of
 * pages.
 */
export async function countOldPages(db: Kysely<Database>, limit: number): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    with counted as (
      update indexed_page page set length = length(title) + length(body)
      from (select team_id, url_hash from indexed_page where length is null limit ${limit} for update skip locked) old
      where page.team_id = old.team_id and page.url_hash = old.url_hash
      returning page.team_id, page.words, page.length, 1 as change),
    saved as (insert into indexed_word_change (team_id, words, counts) ${summedChanges(sql`select * from counted`)})
    select count(*) as pages from counted`.execute(db)
  return rows[0]?.pages ?? 0
}

/** Deletes words that no page contains any more. */
export async function deleteUnusedWords(db: Kysely<Database>): Promise<void> {
  await sql`
    delete from indexed_word word using (
      select team_id, word from indexed_word where pages = 0 order by team_id, word for update) unused
    where word.team_id = unused.team_id and word.word = unused.word and word.pages = 0`.execute(db)
}

/** Facts about all indexed pages of a team. */
export interface IndexStatistics {
  readonly pages: number
  /** Average characters of a page. */
  readonly averageLength: number
  /** Text search configurations of the pages. */
  readonly configurations: readonly string[]
}

/** Returns the statistics of a team's index. */
export async function readStatistics(db: Kysely<Database>, teamId: string): Promise<IndexStatistics> {
  const { rows } = await sql<{ word: string; pages: number }>`
    select word, pages from indexed_word
    where team_id = ${teamId} and pages > 0 and word >= 'all ' and word < 'all!'
    union all
    select word, pages from indexed_word
    where team_id = ${teamId} and pages > 0 and word >= 'language ' and word < 'language!'`.execute(db)
  const counts = new Map(rows.map(({ word, pages }) => [word, pages]))
  const pages = counts.get(statisticKey.pages) ?? 0
  const language = statisticKey.language('')
  return {
    pages,
    averageLength: pages === 0 ? 0 : (counts.get(statisticKey.length) ?? 0) / pages,
    configurations: [...counts.keys()].flatMap((word) => (word.startsWith(language) ? [word.slice(9)] : [])),
  }
}

/** A form of a searched word in one text search configuration. */
export interface WordForm {
  /** Position of the searched word in the list, from 0. */
  readonly position: number
  readonly configuration: string
  readonly lexeme: string
  /** Pages of the team that contain the lexeme. */
  readonly pages: number
}

/** Returns the lexemes of words in some configurations, with the number of pages of each. */
export async function readWordForms(
  db: Kysely<Database>,
  teamId: string,
  { words, configurations }: { readonly words: readonly string[]; readonly configurations: readonly string[] },
): Promise<readonly WordForm[]> {
  const { rows } = await sql<WordForm>`
    select form.position::integer - 1 as position, form.configuration, form.lexeme, coalesce(known.pages, 0) as pages
    from (
      select position, configuration, unnest(tsvector_to_array(to_tsvector(configuration::regconfig, word))) as lexeme
      from unnest(${words}::text[]) with ordinality as searched (word, position),
        unnest(${configurations}::text[]) as used (configuration)) form
    left join indexed_word known on known.team_id = ${teamId} and known.word = form.lexeme`.execute(db)
  return rows
}

/** Returns how many pages of a team have each of these search keys. Absent: none. */
export async function readKeyCounts(
  db: Kysely<Database>,
  teamId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ word: string; pages: number }>`
    select word, pages from indexed_word where team_id = ${teamId} and word = any(${keys}::text[])`.execute(db)
  return new Map(rows.map(({ word, pages }) => [word, pages]))
}

/** Letters that similar words share with a misspelt one. */
export interface SimilarWords {
  /** First letters, any of which a word begins with, unless it ends with one of `ends`. */
  readonly starts: readonly string[]
  readonly ends: readonly string[]
  readonly minLetters: number
  readonly maxLetters: number
}

/** Most words of a team that are compared with a misspelt one, the most common first. */
const maxCompared = 2000

/** Returns the words of a team that have the same first or last letters, and their pages. */
export async function findSimilarWords(
  db: Kysely<Database>,
  teamId: string,
  { starts, ends, minLetters, maxLetters }: SimilarWords,
): Promise<readonly { readonly word: string; readonly pages: number }[]> {
  const reversed = ends.map((end) => Array.from(end).toReversed().join(''))
  const matches = [
    ...starts.map((start) => isBetween(sql`word`, start)),
    ...reversed.map((end) => isBetween(sql`reverse(word) collate "C"`, end)),
  ]
  const { rows } = await sql<{ word: string; pages: number }>`
    select word, pages from indexed_word
    where team_id = ${teamId} and pages > 0 and strpos(word, ' ') = 0
      and length(word) between ${minLetters} and ${maxLetters} and (${sql.join(matches, sql` or `)})
    order by pages desc limit ${sql.lit(maxCompared)}`.execute(db)
  return rows
}

/** Whether a text begins with some letters. Unlike `like`, it always uses the index. */
function isBetween(text: RawBuilder<unknown>, letters: string): RawBuilder<unknown> {
  // After every text that begins with the letters, in bytewise order.
  return sql`(${text} >= ${letters} and ${text} < ${`${letters}\u{10FFFF}`})`
}
