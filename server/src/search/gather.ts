import { keepMatching } from './keep-matching.ts'
import type { Result, SearchWish } from './provider.ts'

/** Turns pages of results, the first being 1, until enough fit the wish, a page brings nothing new, or `maxPages` were read. */
export async function gather(
  wish: SearchWish,
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
    if (keepMatching(all, wish).length >= wish.limit) break
  }
  return keepMatching(all, wish).slice(0, wish.limit)
}
