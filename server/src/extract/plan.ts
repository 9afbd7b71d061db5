import type { ExtractRequest } from 'bowline/contract/extract'
import { pageUrl } from 'bowline/contract/page-url'
import type { WebhookSpec } from 'bowline/contract/webhooks'
import { BowlineError } from 'bowline/kit/errors'

/** An extraction as it waits in the store, as JSON. */
export interface Plan extends Omit<ExtractRequest, 'urls' | 'webhook'> {
  /** Addresses of single pages. */
  readonly pages: readonly string[]
  /** Addresses of which the pages below are meant. */
  readonly folders: readonly string[]
  readonly webhook?: WebhookSpec | undefined
  /** Address of this server as its client knows it, without trailing slash. */
  readonly baseUrl: string
}

/** Pages that a search adds. */
export const searchedPages = 5

/** Sorts the addresses of a request. Throws BAD_REQUEST for one that is none, unless they are to be ignored. */
export function planOf(
  { urls, ...request }: ExtractRequest,
  baseUrl: string,
): { readonly plan: Plan; readonly invalidUrls: readonly string[] } {
  const pages = new Set<string>()
  const folders = new Set<string>()
  const invalidUrls: string[] = []
  for (const url of urls) {
    const isFolder = url.endsWith('/*')
    const parsed = pageUrl.safeParse(isFolder ? url.slice(0, -1) : url)
    // A fragment is a place in a page, not another page.
    if (parsed.success) (isFolder ? folders : pages).add(parsed.data.replace(/#.*$/, ''))
    else if (request.ignoreInvalidURLs) invalidUrls.push(url)
    else throw new BowlineError('BAD_REQUEST', `${url}: ${parsed.error.issues[0]?.message ?? 'Invalid URL'}`)
  }
  if (pages.size + folders.size === 0 && !request.enableWebSearch) {
    throw new BowlineError('BAD_REQUEST', 'No valid URLs provided', { details: { invalidURLs: invalidUrls } })
  }
  return { plan: { ...request, pages: [...pages], folders: [...folders], baseUrl }, invalidUrls }
}

/** The most pages that a plan may come to. */
export function mostPages({ pages, folders, enableWebSearch, limit }: Plan): number {
  return folders.length > 0 ? limit : Math.min(limit, pages.length + (enableWebSearch ? searchedPages : 0))
}
