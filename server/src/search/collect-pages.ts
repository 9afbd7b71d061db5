import { keepMatching } from './keep-matching.ts'
import type { Result, ProviderQuery } from './provider.ts'

/**
 * Reads pages of results, starting at 1, until enough results match the query, a page has no new
 * results, or `maxPages` were read.
 */
export async function collectPages(
  query: ProviderQuery,
  maxPages: number,
  readPage: (number: number) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const all: Result[] = []
  const seen = new Set<string>()
  for (let number = 1; number <= maxPages; number += 1) {
    const page = (await readPage(number)).filter(({ url, imageUrl = '' }) => !seen.has(`${url} ${imageUrl}`))
    if (page.length === 0) break
    for (const result of page) seen.add(`${result.url} ${result.imageUrl ?? ''}`)
    all.push(...page)
    if (keepMatching(all, query).length >= query.limit) break
  }
  return keepMatching(all, query).slice(0, query.limit)
}
