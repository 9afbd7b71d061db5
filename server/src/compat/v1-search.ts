import type { z } from 'zod'
import {
  searchRequest,
  type SearchRequest,
  type SearchRequestV1,
  type SearchResponse,
  type searchResponseV1,
} from 'bowline/contract/search'
import { v1Scrape } from './v1-scrape.ts'
import { invalidOptions } from './invalid-options.ts'

/** Translates between `POST /v1/search` and `POST /v2/search`. */
export const v1Search = {
  /** Throws BAD_REQUEST for requests that v2 rejects. */
  request: ({ scrapeOptions, ...same }: SearchRequestV1): SearchRequest => {
    const options = scrapeOptions && toScrapeOptions(scrapeOptions)
    const result = searchRequest.safeParse({ ...same, ...(options === undefined ? {} : { scrapeOptions: options }) })
    if (result.success) return result.data
    throw invalidOptions(result.error)
  },

  response: (
    { data: { web = [] }, id, warning }: SearchResponse,
    { scrapeOptions }: SearchRequestV1,
  ): z.input<typeof searchResponseV1> => ({
    success: true,
    data: web.map(({ position: _position, category: _category, json, ...result }) => ({
      ...result,
      ...(json !== undefined && (scrapeOptions?.formats.includes('extract') === true ? { extract: json } : { json })),
    })),
    ...(id === undefined ? {} : { id }),
    ...(warning === undefined ? {} : { warning }),
  }),
}

function toScrapeOptions(options: NonNullable<SearchRequestV1['scrapeOptions']>): object {
  const { url: _url, ...translated } = v1Scrape.request({ ...options, url: 'http://search.invalid/' })
  return translated
}
