import type { Document } from 'bowline/contract/document'
import type { EarlierScrapeRequest } from 'bowline/contract/earlier-scrape'
import type { FormatInput } from 'bowline/contract/formats'
import { scrapeRequest, type ScrapeRequest } from 'bowline/contract/scrape'
import { invalidOptions } from './invalid-options.ts'

/** The first version of `scrape`, told in terms of the second. */
export const earlierScrape = {
  /** Throws BAD_REQUEST for what breaks a rule of the second version. */
  request: (earlier: EarlierScrapeRequest): ScrapeRequest => {
    const {
      formats,
      jsonOptions: _json,
      extract: _extract,
      changeTrackingOptions: _tracking,
      parsePDF,
      geolocation,
      ...same
    } = earlier
    const result = scrapeRequest.safeParse({
      ...same,
      location: same.location ?? geolocation,
      parsers: parsePDF ? ['pdf'] : [],
      formats: formats.map((name) => toFormat(name, earlier)),
    })
    if (result.success) return result.data
    throw invalidOptions(result.error)
  },

  response: (data: Document, { formats }: EarlierScrapeRequest): Document => {
    if (!formats.includes('extract')) return data
    const { json, ...rest } = data
    return { ...rest, extract: json }
  },
}

function toFormat(name: EarlierScrapeRequest['formats'][number], earlier: EarlierScrapeRequest): FormatInput {
  switch (name) {
    case 'json':
    case 'extract': {
      const { schema, prompt, systemPrompt } = (name === 'json' ? earlier.jsonOptions : earlier.extract) ?? {}
      const wish = [systemPrompt, prompt].filter((part) => part !== undefined).join('\n\n')
      return { type: 'json', schema, prompt: wish === '' ? undefined : wish }
    }
    case 'changeTracking':
      return { type: 'changeTracking', ...earlier.changeTrackingOptions }
    default:
      return name
  }
}
