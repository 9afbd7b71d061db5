import { z } from 'zod'
import { extractRequest, type ExtractRequest } from 'bowline/contract/extract'
import { pageUrl } from 'bowline/contract/page-url'
import type { WebhookSpec } from 'bowline/contract/webhooks'
import { BowlineError } from 'bowline/kit/errors'
import { urlWithoutFragment } from '../kit/url-without-fragment.ts'
import { storedWebhook } from '../webhooks/stored-webhook.ts'

/** A queued extraction, stored as JSON. */
export interface Plan extends Omit<ExtractRequest, 'urls' | 'webhook'> {
  /** URLs of single pages. */
  readonly pages: readonly string[]
  /** URLs whose subpages are read. */
  readonly folders: readonly string[]
  readonly webhook?: WebhookSpec | undefined
  /** URL under which the client reached this server, without trailing slash. */
  readonly baseUrl: string
}

const { urls: _urls, webhook: _webhook, scrapeOptions, ...fields } = extractRequest.shape

/** Schema of stored plans. */
export const storedPlan: z.ZodType<Plan> = z.object({
  ...fields,
  // Options of other versions are ignored.
  scrapeOptions: scrapeOptions.unwrap().loose().optional(),
  pages: z.array(z.string()),
  folders: z.array(z.string()),
  webhook: storedWebhook.optional(),
  baseUrl: z.string(),
})

/** Number of pages that a web search adds. */
export const searchResultCount = 5

/**
 * Splits the URLs of a request into pages and folders. Throws BAD_REQUEST for invalid URLs, unless
 * `ignoreInvalidURLs` is set.
 */
export function createPlan(
  { urls, ...request }: ExtractRequest,
  baseUrl: string,
): { readonly plan: Plan; readonly invalidUrls: readonly string[] } {
  const pages = new Set<string>()
  const folders = new Set<string>()
  const invalidUrls: string[] = []
  for (const url of urls) {
    const isFolder = url.endsWith('/*')
    const parsed = pageUrl.safeParse(isFolder ? url.slice(0, -1) : url)
    if (parsed.success && isFolder) folders.add(parsed.data.replace(/#.*$/, ''))
    else if (parsed.success) pages.add(urlWithoutFragment(parsed.data))
    else if (request.ignoreInvalidURLs) invalidUrls.push(url)
    else throw new BowlineError('BAD_REQUEST', `${url}: ${parsed.error.issues[0]?.message ?? 'Invalid URL'}`)
  }
  if (pages.size + folders.size === 0 && !request.enableWebSearch) {
    throw new BowlineError('BAD_REQUEST', 'No valid URLs provided', { details: { invalidURLs: invalidUrls } })
  }
  return { plan: { ...request, pages: [...pages], folders: [...folders], baseUrl }, invalidUrls }
}

/** Returns the maximum number of pages of a plan. */
export function maxPagesOf({ pages, folders, enableWebSearch, limit }: Plan): number {
  return folders.length > 0 ? limit : Math.min(limit, pages.length + (enableWebSearch ? searchResultCount : 0))
}
