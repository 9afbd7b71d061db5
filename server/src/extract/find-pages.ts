import type { Dispatcher } from 'undici'
import { mapRequest } from 'bowline/contract/map'
import { searchRequest } from 'bowline/contract/search'
import { isBowlineError } from 'bowline/kit/errors'
import { mapSite } from '../map/map-site.ts'
import type { ShowPage } from '../map/show-start.ts'
import type { Searches } from '../search/searches.ts'
import type { ExtractJobRow } from '../store/extract-jobs.ts'
import { searchedPages, type Plan } from './plan.ts'

/** What finds the pages of a plan. */
export interface FindPagesDeps {
  readonly dispatcher: Dispatcher
  readonly searches: Searches
  /** Shows the start pages of folders. */
  readonly showPage: ShowPage
}

/** What was found for a plan. */
export interface FoundPages {
  readonly urls: readonly string[]
  /** What could not be found. */
  readonly warnings: readonly string[]
  /** What the search came to. */
  readonly searchCredits: number
}

/** Characters of a prompt that are searched for. */
const maxQueryLength = 400

/** The pages that a plan means, at most `limit` of them. Nothing is billed here. Throws the signal's reason. */
export async function findPages(
  { dispatcher, searches, showPage }: FindPagesDeps,
  plan: Plan,
  { teamId, apiKeyId }: Pick<ExtractJobRow, 'teamId' | 'apiKeyId'>,
  signal: AbortSignal,
): Promise<FoundPages> {
  const { limit, prompt, includeSubdomains } = plan
  const urls = new Set(plan.pages)
  const warnings: string[] = []
  let searchCredits = 0
  const attempt = async (what: string, work: () => Promise<readonly string[]>): Promise<void> => {
    try {
      for (const url of await work()) urls.add(url)
    } catch (error) {
      signal.throwIfAborted()
      if (!isBowlineError(error)) throw error
      warnings.push(`${what}: ${error.message}`)
    }
  }
  for (const url of plan.folders) {
    if (urls.size >= limit) break
    const wanted = { url, limit, includeSubdomains, ...(prompt === undefined ? {} : { search: prompt.slice(0, 1000) }) }
    await attempt(`${url}*`, async () => {
      const { links, warning } = await mapSite(dispatcher, mapRequest.parse(wanted), { signal, showPage })
      if (warning !== undefined) warnings.push(`${url}*: ${warning}`)
      return links.map((link) => link.url)
    })
  }
  if (plan.enableWebSearch && prompt !== undefined) {
    const request = searchRequest.parse({
      query: prompt.slice(0, maxQueryLength),
      limit: searchedPages,
      ignoreInvalidURLs: true,
    })
    if (prompt.length > maxQueryLength) {
      warnings.push(`The search: it was for the first ${maxQueryLength} characters of the prompt`)
    }
    await attempt('The search', async () => {
      const { results, credits, warnings: found } = await searches.find({ teamId, apiKeyId, request }, signal)
      searchCredits = credits
      warnings.push(...found.map((each) => `The search: ${each}`))
      return (results.get('web') ?? []).map(({ url }) => url)
    })
  }
  if (urls.size > limit) warnings.push(`${limit} of ${urls.size} pages were read, as many as the \`limit\` allows`)
  return { urls: [...urls].slice(0, limit), warnings, searchCredits }
}
