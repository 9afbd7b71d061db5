import { abortable } from 'bowline/kit/abort'
import { wordsOf } from '../kit/words-of.ts'
import { excerptOf } from './excerpt.ts'
import { findIndexedPages, type FoundPage, type PageSearch } from './find-indexed-pages.ts'
import { hasIndexedPages, sampleIndexedPages } from './indexed-page-queries.ts'
import type { Store } from '../store/store.ts'
import { textSearchLanguage } from './text-search-language.ts'
import { keepMatching } from './keep-matching.ts'
import { indexKey, textOfLexeme } from './index-keys.ts'
import type { PageIndexer } from './page-indexer.ts'
import type { Clause } from './parse-query.ts'
import { readTerms } from './query-terms.ts'
import { readStatistics } from './word-count-queries.ts'
import type { Result, SearchProvider, ProviderQuery } from './provider.ts'
import { bigramsOf } from './words.ts'

/** Milliseconds that a search waits for pages that are still being indexed. */
const pendingTimeoutMs = 1000

/**
 * Creates a provider that searches the pages scraped for the team. Without `index`, it searches
 * what other servers have indexed.
 */
export function createIndexProvider(store: Store, index?: Pick<PageIndexer, 'waitForPending'>): SearchProvider {
  return {
    name: 'index',
    sources: ['web'],
    search: async (query) => {
      if (!query.clauses.some(hasWords)) return { results: [], warnings: [withoutWords] }
      // A page should be found right after its scrape, but constant scraping must not block searches.
      if (index !== undefined)
        // The search continues without the pages that are not indexed in time.
        await abortable(index.waitForPending(), AbortSignal.timeout(pendingTimeoutMs)).catch(() => undefined)
      const { search, misspelt, stems } = await toPageSearch(store, query)
      const pages = await findIndexedPages(store.db, search)
      const results = toResults(query, pages, stems)
      if (results.length === 0) return { results, warnings: await warningsOf(store, query) }
      return { results, warnings: warningsAbout(misspelt, pages) }
    },
  }
}

const withoutWords = 'The query has no letters or digits, so the search index of this server finds no pages.'

/** Whether a clause limits the results: an operator, or text with words. */
function hasWords({ kind, value, alternatives = [] }: Clause): boolean {
  return (kind !== 'text' && kind !== 'phrase') || wordsOf(value).length > 0 || alternatives.some(hasWords)
}

function toResults(query: ProviderQuery, pages: readonly FoundPage[], stems: readonly string[]): readonly Result[] {
  const results = pages.map(({ url, title, description, body, datedAt }) => {
    const excerpt = query.highlights === false ? '' : excerptOf(body, stems, { isMarked: query.highlights === true })
    return {
      url,
      title: title === '' ? url : title,
      description: excerpt === '' ? description : excerpt,
      date: datedAt,
    }
  })
  // The database query covers everything except the path prefix of `site:`.
  return keepMatching(results, {
    ...query,
    categories: [],
    clauses: query.clauses.filter(({ kind }) => kind === 'site'),
  })
}

/** Weights are summed up in another order in the database. */
const allShare = 0.999

function warningsAbout(misspelt: readonly string[], pages: readonly FoundPage[]): readonly string[] {
  const words = misspelt.map((word) => JSON.stringify(word)).join(' or ')
  return [
    ...(misspelt.length === 0 ? [] : [`No page contains ${words}. Similar words are searched instead.`]),
    ...(pages.some(({ share }) => share >= allShare)
      ? []
      : ['No page contains all of the words. These results contain some of them.']),
  ]
}

async function warningsOf(store: Store, query: ProviderQuery): Promise<readonly string[]> {
  if (await hasIndexedPages(store.db, query.teamId)) return []
  return [
    'The search index has no pages of this team yet. Pages are added when they are scraped. Scrape or crawl pages first, or start the server with --searxng-url or --brave-key to search the web.',
  ]
}

/** A query of the index, and what its results are described with. */
interface PreparedSearch {
  readonly search: PageSearch
  /** Words that no page contains, and that were replaced by similar ones. */
  readonly misspelt: readonly string[]
  /** Words to show in excerpts. */
  readonly stems: readonly string[]
}

async function toPageSearch(store: Store, query: ProviderQuery): Promise<PreparedSearch> {
  const { clauses, teamId, range, limit } = query
  const single = clauses.filter(({ alternatives }) => alternatives === undefined)
  const groups = clauses.filter(({ alternatives }) => alternatives !== undefined).map(alternativesIn)
  const values = (kind: Clause['kind'], isExcluded: boolean): readonly string[] =>
    single.filter((clause) => clause.kind === kind && clause.isExcluded === isExcluded).map(({ value }) => value)
  const words = values('text', false)
  const exactPhrases = values('phrase', false)
  const related = values('related', false)
  const textsAnyOf = groups.filter(([first]) => !isKeyed(first))
  const statistics = await readStatistics(store.db, teamId)
  const configurations = [
    ...new Set([textSearchLanguage(query.language), 'english', 'simple', ...statistics.configurations]),
  ]
  const scope = { teamId, statistics, configurations }
  const { terms, misspelt } = await readTerms(store.db, words, scope)
  const about = related.length === 0 ? [] : await wordsAbout(store, teamId, related)
  const anyOf = (await readTerms(store.db, about, scope)).terms
  const ranked = [...exactPhrases, ...textsAnyOf.flatMap((group) => group.map(({ value }) => value))]
  const rankedBy = (await readTerms(store.db, ranked.flatMap(wordsOf), scope)).terms
  const search = {
    configurations,
    terms,
    anyOf,
    rankedBy,
    textsAnyOf,
    phrases: exactPhrases.filter((phrase) => bigramsOf(phrase).length === 0),
    exactPhrases,
    excludedTexts: values('text', true),
    excludedPhrases: values('phrase', true),
    keys: [
      indexKey.team(teamId),
      ...fieldKeys(single, false).flat(),
      ...exactPhrases.flatMap((phrase) => bigramsOf(phrase).map(indexKey.pair)),
    ],
    keysAnyOf: [
      ...alternativesOf(query),
      ...groups.filter(([first]) => isKeyed(first)).map((clauses) => clauses.map(keyOfAlternative)),
    ],
    excludedKeys: [
      ...fieldKeys(single, true),
      ...[...query.excludeDomains, ...related].map((site) => [indexKey.domain(site)]),
    ],
    preferredKeys: wordsOf(words.filter((word) => bigramsOf(word).length === 0).join(' ')).map(indexKey.titleWord),
    averageLength: statistics.averageLength,
    from: range?.from,
    until: range?.until,
    limit,
  }
  const stems = [...terms, ...anyOf, ...rankedBy].flatMap(({ lexemes }) => lexemes.map(textOfLexeme))
  return { search, misspelt, stems: [...new Set(stems)] }
}

function alternativesIn({ alternatives = [], ...first }: Clause): readonly Clause[] {
  return [first, ...alternatives]
}

/** Whether alternatives are matched by index keys instead of words. */
function isKeyed(clause: Clause | undefined): boolean {
  return clause?.kind === 'site' || clause?.kind === 'filetype'
}

function keyOfAlternative(clause: Clause): string {
  return clause.kind === 'filetype' ? typeKeyOf(clause) : domainKeyOf(clause)
}

function typeKeyOf({ value }: Clause): string {
  return value === 'pdf' ? indexKey.pdf : indexKey.urlWord(value)
}

function domainKeyOf({ value }: Clause): string {
  return indexKey.domain((value.split('/')[0] ?? '').replace(/:\d+$/, ''))
}

/** The index keys of clauses on sites, URLs, titles and file types, one list per clause. */
function fieldKeys(clauses: readonly Clause[], isExcluded: boolean): readonly (readonly string[])[] {
  return clauses
    .filter((clause) => clause.isExcluded === isExcluded)
    .map(keysOfClause)
    .filter((keys) => keys.length > 0)
}

function keysOfClause(clause: Clause): readonly string[] {
  const { kind, value } = clause
  if (kind === 'site') {
    const [, ...path] = value.split('/')
    return [domainKeyOf(clause), ...wordsOf(path.join(' ')).map(indexKey.urlWord)]
  }
  if (kind === 'filetype') return [typeKeyOf(clause)]
  if (kind === 'inurl') return wordsOf(value).map(indexKey.urlWord)
  return kind === 'intitle' ? wordsOf(value).map(indexKey.titleWord) : []
}

function alternativesOf({ includeDomains, categories }: ProviderQuery): readonly (readonly string[])[] {
  return [
    ...(includeDomains.length === 0 ? [] : [includeDomains.map(indexKey.domain)]),
    ...(categories.length === 0
      ? []
      : [
          categories.flatMap(({ domains, isPdf }) => [
            ...domains.map(indexKey.domain),
            ...(isPdf ? [indexKey.pdf] : []),
          ]),
        ]),
  ]
}

/** The most common words in the titles and descriptions of some pages of the sites. */
async function wordsAbout(store: Store, teamId: string, sites: readonly string[]): Promise<readonly string[]> {
  const counts = new Map<string, number>()
  for (const site of sites) {
    const pages = await sampleIndexedPages(store.db, [indexKey.team(teamId), indexKey.domain(site)], 20)
    for (const { title, description } of pages) {
      const words = new Set(wordsOf(`${title} ${description}`))
      for (const word of words) if (word.length > 2) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  const common = [...counts].toSorted(([, left], [, right]) => right - left).map(([word]) => word)
  // For a site that is not indexed, only the name is known.
  return common.length === 0 ? sites.flatMap((site) => wordsOf(site.replace(/\.[^.]+$/, ''))) : common.slice(0, 12)
}
