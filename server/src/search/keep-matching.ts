import { urlWithoutFragment } from '../kit/url-without-fragment.ts'
import { wordsOf } from '../kit/words-of.ts'
import { categoryOf } from './categories.ts'
import type { Clause } from './parse-query.ts'
import type { Result, ProviderQuery } from './provider.ts'
import { domainsOf, wordsOfUrl } from './words.ts'

/** Removes duplicates, and results whose URL, title, description or date do not match the query. */
export function keepMatching(results: readonly Result[], query: ProviderQuery): readonly Result[] {
  const seen = new Set<string>()
  return results.filter((result) => {
    const key = `${urlWithoutFragment(result.url)} ${result.imageUrl ?? ''}`
    if (seen.has(key) || !fits(result, query)) return false
    seen.add(key)
    return true
  })
}

function fits(result: Result, query: ProviderQuery): boolean {
  const domains = domainsOf(result.url)
  const isOf = (sites: readonly string[]): boolean => sites.some((site) => domains.includes(site))
  return (
    (query.includeDomains.length === 0 || isOf(query.includeDomains)) &&
    !isOf(query.excludeDomains) &&
    (query.categories.length === 0 || categoryOf(result.url, query.categories) !== undefined) &&
    isWithin(result.date, query) &&
    query.clauses.every((clause) => [clause, ...(clause.alternatives ?? [])].some((each) => meets(result, each)))
  )
}

/** Accepts results without a date, since most services do not return one. */
function isWithin(date: Date | undefined, { range }: ProviderQuery): boolean {
  if (date === undefined || range === undefined) return true
  const isLate = range.until !== undefined && date > range.until
  return !isLate && (range.from === undefined || date >= range.from)
}

function meets({ url, title, description }: Result, { kind, value, isExcluded }: Clause): boolean {
  switch (kind) {
    case 'site':
      return isOnSite(url, value) !== isExcluded
    case 'inurl':
      return hasAll(wordsOfUrl(url), wordsOf(value)) !== isExcluded
    case 'intitle':
      return hasAll(wordsOf(title), wordsOf(value)) !== isExcluded
    case 'related':
      // A result does not show what it is related to. Only the site itself can be excluded.
      return !isOnSite(url, value) || isExcluded
    case 'text':
    case 'phrase':
      // The description is only an excerpt, so a word missing from it may still be on the page.
      return !isExcluded || !hasRun(wordsOf(`${title} ${description}`), wordsOf(value))
    case 'filetype':
      return isExcluded ? extensionOf(url) !== value : [value, ''].includes(extensionOf(url))
    default:
      return kind satisfies never
  }
}

/** The lower-case extension of the last path segment. Empty if it has none. */
function extensionOf(url: string): string {
  return /\.([a-z\d]{1,5})$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? ''
}

/** Whether a URL belongs to a site, given as a domain with or without a path. */
export function isOnSite(url: string, site: string): boolean {
  const [domain = '', ...path] = site.split('/')
  const pathname = URL.parse(url)?.pathname ?? ''
  const start = `/${path.join('/')}`
  return domainsOf(url).includes(domain.replace(/:\d+$/, '')) && (path.length === 0 || pathname.startsWith(start))
}

function hasAll(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((word) => words.includes(word))
}

function hasRun(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length > 0 && words.some((_, start) => wanted.every((word, index) => words[start + index] === word))
}
