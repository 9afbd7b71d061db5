// A program that crawls lists of URLs with Crawlee and converts each page to Markdown with
// Turndown. Arguments: cheerio or playwright, the concurrency, the browser. Each line of its input
// is a JSON array of URLs. For each it prints a line of JSON: the milliseconds and the characters
// of Markdown.
import { createInterface } from 'node:readline'
import { CheerioCrawler } from '@crawlee/cheerio'
import { Configuration, log, LogLevel, RequestQueue } from '@crawlee/core'
import { PlaywrightCrawler } from '@crawlee/playwright'
import TurndownService from 'turndown'

const [, , kind, concurrency, executablePath = ''] = process.argv
log.setLevel(LogLevel.OFF)
const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
turndown.remove(['script', 'style'])
const pages = { minConcurrency: Number(concurrency), maxConcurrency: Number(concurrency), maxRequestRetries: 0 }
let characters = 0

async function crawl(urls: readonly string[], run: number): Promise<void> {
  const requestQueue = await RequestQueue.open(`run-${run}`)
  const crawler =
    kind === 'cheerio'
      ? new CheerioCrawler({
          ...pages,
          requestQueue,
          requestHandler: ({ $ }) => {
            characters += turndown.turndown($('body').html() ?? '').length
          },
        })
      : new PlaywrightCrawler({
          ...pages,
          requestQueue,
          headless: true,
          launchContext: { launchOptions: { executablePath, args: ['--no-sandbox'] } },
          requestHandler: async ({ page }) => {
            characters += turndown.turndown(await page.content()).length
          },
        })
  await crawler.run([...urls])
}

// The storage is not needed.
Configuration.getGlobalConfig().set('persistStorage', false)
Configuration.getGlobalConfig().set('purgeOnStart', false)
let run = 0
for await (const line of createInterface({ input: process.stdin })) {
  characters = 0
  const startedMs = performance.now()
  await crawl(JSON.parse(line) as readonly string[], run++)
  process.stdout.write(`${JSON.stringify({ ms: performance.now() - startedMs, characters })}\n`)
}
process.exit(0)
