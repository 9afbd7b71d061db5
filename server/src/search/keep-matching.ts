import { wordsOf } from '../kit/words-of.ts'
import { categoryOf } from './categories.ts'
import type { Clause } from './parse-query.ts'
import type { Result, SearchWish } from './provider.ts'
import { domainsOf, wordsOfUrl } from './words.ts'

/** Leaves out what does not fit a wish as far as address, title and description show, and what is there twice. */
export function keepMatching(results: readonly Result[], wish: SearchWish): readonly Result[] {
  const seen = new Set<string>()
  return results.filter((result) => {
    const key = `${result.url.replace(/#.*$/, '')} ${result.imageUrl ?? ''}`
    if (seen.has(key) || !fits(result, wish)) return false
    seen.add(key)
    return true
  })
}

function fits(result: Result, wish: SearchWish): boolean {
  const domains = domainsOf(result.url)
  const isOf = (sites: readonly string[]): boolean => sites.some((site) => domains.includes(site))
  return (
    (wish.includeDomains.length === 0 || isOf(wish.includeDomains)) &&
    !isOf(wish.excludeDomains) &&
    (wish.categories.length === 0 || categoryOf(result.url, wish.categories) !== undefined) &&
    isWithin(result.date, wish) &&
    wish.clauses.every((clause) => [clause, ...(clause.alternatives ?? [])].some((each) => meets(result, each)))
  )
}

/** A result without a date is let through: most services tell none. */
function isWithin(date: Date | undefined, { range }: SearchWish): boolean {
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
      // Neither the site itself nor, without a minus, less than that can be seen from here.
      return !isOnSite(url, value) || isExcluded
    case 'text':
    case 'phrase':
      // A text shows only parts of itself here: what it lacks may be elsewhere in it, what it has is there.
      return !isExcluded || !hasRun(wordsOf(`${title} ${description}`), wordsOf(value))
    case 'filetype':
      return isExcluded ? extensionOf(url) !== value : [value, ''].includes(extensionOf(url))
    default:
      return kind satisfies never
  }
}

/** The extension of the last path segment, in lower case. Empty if it has none: the type is unknown then. */
function extensionOf(url: string): string {
  return /\.([a-z\d]{1,5})$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? ''
}

/** Whether an address belongs to a site, written as a domain with or without a path. */
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
