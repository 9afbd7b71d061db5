import { z } from 'zod'
import { pageUrl } from 'bowline/contract/page-url'
import { scrapeRequest } from 'bowline/contract/scrape'
import { searchRequest } from 'bowline/contract/search'
import { BowlineError } from 'bowline/kit/errors'
import { quotePage } from 'bowline/kit/quote-page'
import type { Prices } from '../billing/prices.ts'
import type { MayFollow } from '../kit/may-follow.ts'
import { scrapeInSlot, type ScrapeInSlotDeps } from '../scrape/scrape-in-slot.ts'
import type { Searches } from '../search/searches.ts'
import type { AgentJobRow } from './agent-queries.ts'
import type { Budget } from './budget.ts'
import type { PageScope } from './page-scope.ts'
import type { LoopTool, ToolOutput } from './tool-loop.ts'

/** Dependencies of the tools of agents. */
export interface AgentToolDeps extends ScrapeInSlotDeps {
  readonly searches: Pick<Searches, 'price' | 'searchUnbilled'>
  readonly prices: Prices
}

/** An agent with its pages and its budget. */
export interface AgentScope {
  readonly job: AgentJobRow
  readonly pages: PageScope
  readonly budget: Budget
}

const searchInput = z.object({ query: z.string().min(1).max(400), limit: z.int().min(1).max(10).default(5) })

/** Creates the tool that searches the web. */
export function createSearchTool({ searches }: AgentToolDeps, { job, budget }: AgentScope): LoopTool {
  return {
    name: 'search',
    description: 'Searches the web. Returns titles, URLs and descriptions.',
    parameters: z.toJSONSchema(searchInput, { io: 'input' }),
    run: async (given, signal) => {
      const input = parseInput(searchInput, given)
      const request = searchRequest.parse({ ...input, ignoreInvalidURLs: true })
      const { teamId, apiKeyId } = job
      return withShare(budget, searches.price(input.limit), async () => {
        const { results, credits } = await searches.searchUnbilled({ teamId, apiKeyId, request }, signal)
        const lines = (results.get('web') ?? []).map(
          ({ title, url, description }) => `- ${title ?? ''}\n  ${url}\n  ${description}`,
        )
        return { text: quotePage(lines.length === 0 ? 'No results.' : lines.join('\n')), credits }
      })
    },
  }
}

const scrapeInput = z.object({
  url: z.string().min(1).max(8000),
  offset: z.int().min(0).default(0).describe('Character to start at, to read on in a long page'),
})

/** Maximum number of characters of a page per call. */
const maxPageCharacters = 30_000

const maxPdfPages = 10

/** Cached pages can contain frames that a strict agent may not read. */
const uncached = { maxAge: 0, storeInCache: false }

/** Creates the tool that reads a page. */
export function createScrapeTool(deps: AgentToolDeps, { job, pages, budget }: AgentScope): LoopTool {
  return {
    name: 'scrape',
    description: `Reads a page or the first ${maxPdfPages} pages of a PDF. Returns its main content as Markdown.`,
    parameters: z.toJSONSchema(scrapeInput, { io: 'input' }),
    run: async (given, signal) => {
      const { url: text, offset } = parseInput(scrapeInput, given)
      const address = pageUrl.safeParse(text)
      if (!address.success) throw new BowlineError('BAD_REQUEST', `${JSON.stringify(text)} is not a valid URL`)
      const url = address.data
      assertInScope(pages, url)
      const parsers = [{ type: 'pdf', maxPages: maxPdfPages }]
      const request = scrapeRequest.parse({
        url,
        formats: ['markdown', 'links'],
        parsers,
        ...(pages.isStrict && uncached),
      })
      const { teamId, apiKeyId } = job
      const { baseUrl } = job.request
      const mayFollow: MayFollow = (to, isFrame = false) =>
        isFrame ? pages.includesHostOf(to.href) : pages.includes(to.href)
      return withShare(budget, maxPdfPages * deps.prices.page, async () => {
        await using scrape = await scrapeInSlot(deps, { request, teamId, apiKeyId, baseUrl, mayFollow, signal })
        const { markdown = '', links, metadata } = scrape.document
        assertInScope(pages, metadata.url ?? url)
        const shown = (markdown ?? '').slice(offset, offset + maxPageCharacters)
        const end = offset + shown.length
        const size = (markdown ?? '').length
        const rest = end < size ? `\n(Read on with offset ${end} of ${size}.)` : ''
        const urls = offset === 0 ? `\n\nLinks:\n${(links ?? []).slice(0, 100).join('\n')}` : ''
        const head = `${url}: status ${metadata.statusCode}, ${size} characters${rest}`
        const title = `title: ${String(metadata.title ?? '')}`
        return { text: `${head}\n${quotePage(`${title}\n${shown}${urls}`)}`, credits: scrape.credits }
      })
    },
  }
}

/** Runs work within a share of the budget. Failed work costs nothing. */
async function withShare(
  budget: Budget,
  credits: number,
  work: () => Promise<{ readonly text: string; readonly credits: number }>,
): Promise<ToolOutput> {
  const share = await budget.reserve(credits)
  let spent = 0
  try {
    const done = await work()
    spent = Math.min(done.credits, credits)
    return { text: done.text, isError: false, credits: spent }
  } finally {
    share.settle(spent)
  }
}

/** Throws EGRESS_REFUSED for a page that the agent may not read. */
export function assertInScope(pages: PageScope, url: string): void {
  if (pages.includes(url)) return
  throw new BowlineError('EGRESS_REFUSED', `${url.slice(0, 300)} is not one of the URLs that this agent may read`)
}

/** Parses the arguments of a tool. Throws BAD_REQUEST. */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const { success, data, error } = schema.safeParse(input)
  if (success) return data
  throw new BowlineError('BAD_REQUEST', `Invalid arguments: ${z.prettifyError(error)}`)
}
