import type { Dispatcher } from 'undici'
import { mapRequest } from 'bowline/contract/map'
import { searchRequest } from 'bowline/contract/search'
import { isBowlineError } from 'bowline/kit/errors'
import { mapSite } from '../map/map-site.ts'
import type { RenderPage } from '../map/render-start-page.ts'
import type { Searches } from '../search/searches.ts'
import type { ExtractJobRow } from './extract-job-queries.ts'
import { searchResultCount, type Plan } from './plan.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'

/** Dependencies of `findPages`. */
export interface FindPagesDeps {
  readonly dispatcher: Dispatcher
  readonly searches: Searches
  /** Renders the start pages of folders. */
  readonly renderPage: RenderPage
}

/** The pages of a plan. */
export interface FoundPages {
  readonly urls: readonly string[]
  /** Sentences about pages that could not be found. */
  readonly warnings: readonly string[]
  /** Credits of the web search. */
  readonly searchCredits: number
}

/** Maximum number of characters of a prompt used as the search query. */
const maxQueryLength = 400

/**
 * Resolves a plan to at most `limit` pages. Bills nothing. Throws STORE_UNAVAILABLE, or the reason
 * of the signal.
 */
export async function findPages(
  { dispatcher, searches, renderPage }: FindPagesDeps,
  plan: Plan,
  { teamId, apiKeyId }: Pick<ExtractJobRow, 'teamId' | 'apiKeyId'>,
  signal: AbortSignal,
): Promise<FoundPages> {
  const { limit, prompt, includeSubdomains, scrapeOptions } = plan
  const urls = new Set(plan.pages)
  const warnings: string[] = []
  let searchCredits = 0
  const attempt = async (what: string, work: () => Promise<readonly string[]>): Promise<void> => {
    try {
      for (const url of await work()) urls.add(url)
    } catch (error) {
      signal.throwIfAborted()
      if (!isBowlineError(error) || isStoreUnavailable(error)) throw error
      warnings.push(`${what}: ${error.message}`)
    }
  }
  for (const url of plan.folders) {
    if (urls.size >= limit) break
    const mapOptions = {
      url,
      limit,
      includeSubdomains,
      allowedDomains: scrapeOptions?.allowedDomains,
      ...(prompt === undefined ? {} : { search: prompt.slice(0, 1000) }),
    }
    await attempt(`${url}*`, async () => {
      const request = mapRequest.parse(mapOptions)
      const { links, warning } = await mapSite(dispatcher, request, { signal, renderPage, skipsAssets: true })
      if (warning !== undefined) warnings.push(`${url}*: ${warning}`)
      return links.map((link) => link.url)
    })
  }
  if (plan.enableWebSearch && prompt !== undefined) {
    const request = searchRequest.parse({
      query: prompt.slice(0, maxQueryLength),
      limit: searchResultCount,
      ignoreInvalidURLs: true,
    })
    if (prompt.length > maxQueryLength) {
      warnings.push(`The search: only the first ${maxQueryLength} characters of the prompt were used`)
    }
    await attempt('The search', async () => {
      const { results, credits, warnings: found } = await searches.searchUnbilled({ teamId, apiKeyId, request }, signal)
      searchCredits = credits
      warnings.push(...found.map((each) => `The search: ${each}`))
      return (results.get('web') ?? []).map(({ url }) => url)
    })
  }
  if (urls.size > limit) warnings.push(`Only ${limit} of ${urls.size} pages were read because of the \`limit\``)
  return { urls: [...urls].slice(0, limit), warnings, searchCredits }
}
