import { extractRequest, type ExtractRequest, type ExtractRequestV1 } from 'bowline/contract/extract'
import { v1Scrape } from './v1-scrape.ts'
import { invalidOptions } from './invalid-options.ts'

/** Translates `POST /v1/extract` to `POST /v2/extract`. The responses are identical. */
export const v1Extract = {
  /** Throws BAD_REQUEST for requests that v2 rejects. */
  request: ({ scrapeOptions, ...same }: ExtractRequestV1): ExtractRequest => {
    const result = extractRequest.safeParse({
      ...same,
      ...(scrapeOptions === undefined ? {} : { scrapeOptions: toPageOptions(scrapeOptions) }),
    })
    if (result.success) return result.data
    throw invalidOptions(result.error)
  },
}

function toPageOptions({ formats: _formats, ...options }: NonNullable<ExtractRequestV1['scrapeOptions']>): object {
  const {
    url: _url,
    formats: _markdown,
    zeroDataRetention: _retention,
    ...translated
  } = v1Scrape.request({
    ...options,
    formats: ['markdown'],
    zeroDataRetention: false,
    url: 'http://extract.invalid/',
  })
  return translated
}
