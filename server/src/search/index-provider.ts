import { abortable } from 'bowline/kit/abort'
import { wordsOf } from '../kit/words-of.ts'
import { findIndexedPages, hasIndexedPages, sampleIndexedPages, type PageSearch } from '../store/indexed-pages.ts'
import type { Store } from '../store/store.ts'
import { configurationOf } from './configuration.ts'
import { keepMatching } from './keep-matching.ts'
import { keyOf } from './keys.ts'
import type { PageIndex } from './page-index.ts'
import type { Clause } from './parse-query.ts'
import type { Found, Result, SearchProvider, SearchWish } from './provider.ts'
import { pairsOf } from './words.ts'

/** How long a search waits for pages that were scraped just before it, in milliseconds. */
const settleMs = 1000

/** Searches the pages that this server has scraped for the team. Without an index to wait for, those that others filled in. */
export function createIndexProvider(store: Store, index?: Pick<PageIndex, 'settled'>): SearchProvider {
  return {
    name: 'index',
    sources: ['web'],
    search: async (wish) => {
      // Whoever scrapes a page and searches for it next should find it; whoever scrapes all the time should not wait for ever.
      if (index !== undefined) await abortable(index.settled(), AbortSignal.timeout(settleMs)).catch(() => undefined)
      const first = await toPageSearch(store, wish)
      const strict = await find(store, wish, first)
      const isWordy = first.text.includes(' ') && first.anyOf.length === 0
      if (strict.length > 0 || !isWordy) return { results: strict, warnings: await warningsOf(store, wish, strict) }
      const loose = await find(store, wish, { ...first, text: '', anyOf: wordsOf(first.text), preferredKeys: [] })
      const warnings = loose.length === 0 ? [] : ['No page has all the words; these have some of them.']
      return { results: loose, warnings: [...warnings, ...(await warningsOf(store, wish, loose))] }
    },
  }
}

async function find(store: Store, wish: SearchWish, pages: PageSearch): Promise<readonly Result[]> {
  const rows = await findIndexedPages(store.db, pages)
  const results = rows.map(({ url, title, description, snippet, datedAt }) => ({
    url,
    title: title === '' ? url : title,
    description: snippet === '' ? description : snippet,
    date: datedAt,
  }))
  // What a path of a site starts with is all that the index did not see to.
  return keepMatching(results, { ...wish, categories: [], clauses: wish.clauses.filter(({ kind }) => kind === 'site') })
}

async function warningsOf(store: Store, wish: SearchWish, results: Found['results']): Promise<readonly string[]> {
  if (results.length > 0 || (await hasIndexedPages(store.db, wish.teamId))) return []
  return [
    'The search index is empty: it holds the pages that this server has scraped for the team. Scrape or crawl some, or have the server search the web with --searxng-url or --brave-key.',
  ]
}

async function toPageSearch(store: Store, wish: SearchWish): Promise<PageSearch> {
  const { clauses, teamId, range, limit } = wish
  const single = clauses.filter(({ alternatives }) => alternatives === undefined)
  const groups = clauses.filter(({ alternatives }) => alternatives !== undefined).map(alternativesIn)
  const values = (kind: Clause['kind'], isExcluded: boolean): readonly string[] =>
    single.filter((clause) => clause.kind === kind && clause.isExcluded === isExcluded).map(({ value }) => value)
  const words = values('text', false)
  const exactly = values('phrase', false)
  const unspaced = [...words, ...exactly].filter((word) => pairsOf(word).length > 0)
  const text = words.filter((word) => !unspaced.includes(word)).join(' ')
  const related = values('related', false)
  const team = keyOf.team(teamId)
  return {
    configurations: [...new Set([configurationOf(wish.language), 'english', 'simple'])],
    text,
    anyOf: related.length === 0 ? [] : await wordsAbout(store, teamId, related),
    textsAnyOf: groups.filter(([first]) => !isKeyed(first)),
    phrases: exactly.filter((phrase) => pairsOf(phrase).length === 0),
    exactly,
    excludedTexts: values('text', true),
    excludedPhrases: values('phrase', true),
    keys: [team, ...placedKeys(single, false).flat(), ...unspaced.flatMap((word) => pairsOf(word).map(keyOf.pair))],
    keysAnyOf: [
      ...alternativesOf(wish),
      ...groups.filter(([first]) => isKeyed(first)).map((clauses) => clauses.map(keyOfAlternative)),
    ],
    excludedKeys: [
      ...placedKeys(single, true),
      ...[...wish.excludeDomains, ...related].map((site) => [keyOf.domain(site)]),
    ],
    preferredKeys: text === '' ? [] : wordsOf(text).map(keyOf.titleWord),
    from: range?.from,
    until: range?.until,
    limit,
  }
}

function alternativesIn({ alternatives = [], ...first }: Clause): readonly Clause[] {
  return [first, ...alternatives]
}

/** Whether alternatives are found by keys, not by their words. */
function isKeyed(clause: Clause | undefined): boolean {
  return clause?.kind === 'site' || clause?.kind === 'filetype'
}

function keyOfAlternative(clause: Clause): string {
  return clause.kind === 'filetype' ? typeKeyOf(clause) : domainKeyOf(clause)
}

function typeKeyOf({ value }: Clause): string {
  return value === 'pdf' ? keyOf.pdf : keyOf.urlWord(value)
}

function domainKeyOf({ value }: Clause): string {
  return keyOf.domain((value.split('/')[0] ?? '').replace(/:\d+$/, ''))
}

/** The keys for words that have a place: a site, an address or a title; a list for each clause. */
function placedKeys(clauses: readonly Clause[], isExcluded: boolean): readonly (readonly string[])[] {
  return clauses
    .filter((clause) => clause.isExcluded === isExcluded)
    .map(keysOfClause)
    .filter((keys) => keys.length > 0)
}

function keysOfClause(clause: Clause): readonly string[] {
  const { kind, value } = clause
  if (kind === 'site') {
    const [, ...path] = value.split('/')
    return [domainKeyOf(clause), ...wordsOf(path.join(' ')).map(keyOf.urlWord)]
  }
  if (kind === 'filetype') return [typeKeyOf(clause)]
  if (kind === 'inurl') return wordsOf(value).map(keyOf.urlWord)
  return kind === 'intitle' ? wordsOf(value).map(keyOf.titleWord) : []
}

function alternativesOf({ includeDomains, categories }: SearchWish): readonly (readonly string[])[] {
  return [
    ...(includeDomains.length === 0 ? [] : [includeDomains.map(keyOf.domain)]),
    ...(categories.length === 0
      ? []
      : [categories.flatMap(({ domains, isPdf }) => [...domains.map(keyOf.domain), ...(isPdf ? [keyOf.pdf] : [])])]),
  ]
}

/** The words that sites are about, by the titles and descriptions of some of their pages. */
async function wordsAbout(store: Store, teamId: string, sites: readonly string[]): Promise<readonly string[]> {
  const counts = new Map<string, number>()
  for (const site of sites) {
    const pages = await sampleIndexedPages(store.db, [keyOf.team(teamId), keyOf.domain(site)], 20)
    for (const { title, description } of pages) {
      const words = new Set(wordsOf(`${title} ${description}`))
      for (const word of words) if (word.length > 2) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  const common = [...counts].toSorted(([, left], [, right]) => right - left).map(([word]) => word)
  // A site that is not in the index is known by its name alone.
  return common.length === 0 ? sites.flatMap((site) => wordsOf(site.replace(/\.[^.]+$/, ''))) : common.slice(0, 12)
}
