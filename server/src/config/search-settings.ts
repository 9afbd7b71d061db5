import { z } from 'zod'
import { httpUrl, wholeNumber, type Setting } from './setting.ts'

/** Where searches look, and how much of what was scraped can be searched. */
export const searchSettings = {
  search: {
    flag: 'search',
    env: 'BOWLINE_SEARCH',
    help: 'where searches look; default: Brave with a key, else SearXNG with an address, else the index of pages this server has scraped',
    accepts: '"index", "searxng" or "brave"',
    schema: z.enum(['index', 'searxng', 'brave']).optional(),
  },
  searxngUrl: {
    flag: 'searxng-url',
    env: 'BOWLINE_SEARXNG_URL',
    help: 'SearXNG to search with; its settings must list `json` under `search.formats`',
    accepts: 'an http: or https: URL',
    schema: httpUrl.optional(),
  },
  braveKey: {
    flag: 'brave-key',
    env: 'BOWLINE_BRAVE_KEY',
    help: 'key of the Brave Search API to search with',
    accepts: 'a subscription token',
    schema: z.string().min(1).optional(),
  },
  braveUrl: {
    flag: 'brave-url',
    env: 'BOWLINE_BRAVE_URL',
    help: 'address of that API',
    accepts: 'an http: or https: URL',
    schema: httpUrl.default('https://api.search.brave.com/res/v1'),
  },
  searchPages: {
    flag: 'search-pages',
    env: 'BOWLINE_SEARCH_PAGES',
    help: 'pages that the search index keeps of each team, for 30 days after their last scrape; the oldest go first',
    accepts: 'a whole number from 0 to 10000000',
    schema: wholeNumber(0, 10_000_000).default(50_000),
  },
} as const satisfies Record<string, Setting>
