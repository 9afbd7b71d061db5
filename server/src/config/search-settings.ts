import { z } from 'zod'
import { httpUrl, wholeNumber, type Setting } from './setting.ts'

/** Settings of the search provider and of the index of scraped pages. */
export const searchSettings = {
  search: {
    flag: 'search',
    env: 'BOWLINE_SEARCH',
    help: 'search provider; default: Brave if `--brave-key` is set, SearXNG if `--searxng-url` is set, otherwise the index of pages this server has scraped',
    accepts: '"index", "searxng" or "brave"',
    schema: z.enum(['index', 'searxng', 'brave']).optional(),
  },
  searxngUrl: {
    flag: 'searxng-url',
    env: 'BOWLINE_SEARXNG_URL',
    help: 'URL of a SearXNG instance; its settings must list `json` under `search.formats`',
    accepts: 'an http: or https: URL',
    schema: httpUrl.optional(),
  },
  braveKey: {
    flag: 'brave-key',
    env: 'BOWLINE_BRAVE_KEY',
    help: 'key of the Brave Search API',
    accepts: 'a subscription token',
    schema: z.string().min(1).optional(),
  },
  braveUrl: {
    flag: 'brave-url',
    env: 'BOWLINE_BRAVE_URL',
    help: 'base URL of the Brave Search API',
    accepts: 'an http: or https: URL',
    schema: httpUrl.default('https://api.search.brave.com/res/v1'),
  },
  searchPages: {
    flag: 'search-pages',
    env: 'BOWLINE_SEARCH_PAGES',
    help: 'maximum number of pages in the search index per team; the oldest are removed first, and all 30 days after their last scrape',
    accepts: 'a whole number from 0 to 10000000',
    schema: wholeNumber(0, 10_000_000).default(50_000),
  },
} as const satisfies Record<string, Setting>
