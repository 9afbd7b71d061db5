import { abortable } from 'bowline/kit/abort'
import { wordsOf } from '../kit/words-of.ts'
import { findIndexedPages, hasIndexedPages, sampleIndexedPages, type PageSearch } from './indexed-page-queries.ts'
import type { Store } from '../store/store.ts'
import { textSearchLanguage } from './text-search-language.ts'
import { keepMatching } from './keep-matching.ts'
import { indexKey } from './index-keys.ts'
import type { PageIndexer } from './page-indexer.ts'
import type { Clause } from './parse-query.ts'
import type { Found, Result, SearchProvider, ProviderQuery } from './provider.ts'
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
      // A page should be found right after its scrape, but constant scraping must not block searches.
      if (index !== undefined)
        // The search continues without the pages that are not indexed in time.
        await abortable(index.waitForPending(), AbortSignal.timeout(pendingTimeoutMs)).catch(() => undefined)
      const first = await toPageSearch(store, query)
      const strict = await find(store, query, first)
      const hasSeveralWords = first.text.includes(' ') && first.anyOf.length === 0
      if (strict.length > 0 || !hasSeveralWords)
        return { results: strict, warnings: await warningsOf(store, query, strict) }
      const loose = await find(store, query, { ...first, text: '', anyOf: wordsOf(first.text), preferredKeys: [] })
      const warnings =
        loose.length === 0 ? [] : ['No page contains all of the words. These results contain some of them.']
      return { results: loose, warnings: [...warnings, ...(await warningsOf(store, query, loose))] }
    },
  }
}

async function find(store: Store, query: ProviderQuery, pages: PageSearch): Promise<readonly Result[]> {
  const rows = await findIndexedPages(store.db, pages)
  const results = rows.map(({ url, title, description, snippet, datedAt }) => ({
    url,
    title: title === '' ? url : title,
    description: snippet === '' ? description : snippet,
    date: datedAt,
  }))
  // The database query covers everything except the path prefix of `site:`.
  return keepMatching(results, {
    ...query,
    categories: [],
    clauses: query.clauses.filter(({ kind }) => kind === 'site'),
  })
}

async function warningsOf(store: Store, query: ProviderQuery, results: Found['results']): Promise<readonly string[]> {
  if (results.length > 0 || (await hasIndexedPages(store.db, query.teamId))) return []
  return [
    'The search index has no pages of this team yet. Pages are added when they are scraped. Scrape or crawl pages first, or start the server with --searxng-url or --brave-key to search the web.',
  ]
}

async function toPageSearch(store: Store, query: ProviderQuery): Promise<PageSearch> {
  const { clauses, teamId, range, limit } = query
  const single = clauses.filter(({ alternatives }) => alternatives === undefined)
  const groups = clauses.filter(({ alternatives }) => alternatives !== undefined).map(alternativesIn)
  const values = (kind: Clause['kind'], isExcluded: boolean): readonly string[] =>
    single.filter((clause) => clause.kind === kind && clause.isExcluded === isExcluded).map(({ value }) => value)
  const words = values('text', false)
  const exactPhrases = values('phrase', false)
  const unspaced = [...words, ...exactPhrases].filter((word) => bigramsOf(word).length > 0)
  const text = words.filter((word) => !unspaced.includes(word)).join(' ')
  const related = values('related', false)
  const team = indexKey.team(teamId)
  return {
    configurations: [...new Set([textSearchLanguage(query.language), 'english', 'simple'])],
    text,
    anyOf: related.length === 0 ? [] : await wordsAbout(store, teamId, related),
    textsAnyOf: groups.filter(([first]) => !isKeyed(first)),
    phrases: exactPhrases.filter((phrase) => bigramsOf(phrase).length === 0),
    exactPhrases,
    excludedTexts: values('text', true),
    excludedPhrases: values('phrase', true),
    keys: [team, ...fieldKeys(single, false).flat(), ...unspaced.flatMap((word) => bigramsOf(word).map(indexKey.pair))],
    keysAnyOf: [
      ...alternativesOf(query),
      ...groups.filter(([first]) => isKeyed(first)).map((clauses) => clauses.map(keyOfAlternative)),
    ],
    excludedKeys: [
      ...fieldKeys(single, true),
      ...[...query.excludeDomains, ...related].map((site) => [indexKey.domain(site)]),
    ],
    preferredKeys: text === '' ? [] : wordsOf(text).map(indexKey.titleWord),
    from: range?.from,
    until: range?.until,
    limit,
  }
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
