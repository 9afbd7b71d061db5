import { setInterval as every } from 'node:timers/promises'
import type { BenchServer } from '../bench-server.ts'

/** Milliseconds between two checks whether a batch has ended. */
const checkMs = 100

/**
 * Scrapes pages in one batch, and returns the Markdown of all of them. Throws an Error if a page
 * fails.
 */
export async function scrapeInBatch(
  server: BenchServer,
  urls: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const { status, body } = await server.api('POST', '/v2/batch/scrape', { ...options, urls })
  if (status !== 200) throw new Error(JSON.stringify(body).slice(0, 300))
  const path = `/v2/batch/scrape/${body['id']}`
  for await (const _ of every(checkMs)) {
    const { body: job } = await server.api('GET', `${path}?limit=1`)
    if (job['status'] !== 'scraping') break
  }
  const markdown: string[] = []
  for (let next: string | undefined = path; next !== undefined;) {
    const { body: page } = await server.api('GET', next)
    markdown.push(...page['data'].map((document: { readonly markdown?: string }) => document.markdown ?? ''))
    next = page['next']
  }
  if (markdown.length !== urls.length) throw new Error(`${markdown.length} of ${urls.length} pages were scraped`)
  return markdown
}
