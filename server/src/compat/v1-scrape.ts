import type { Document } from 'bowline/contract/document'
import type { V1ScrapeRequest } from 'bowline/contract/v1-scrape'
import type { FormatInput } from 'bowline/contract/formats'
import { scrapeRequest, type ScrapeRequest } from 'bowline/contract/scrape'
import { invalidOptions } from './invalid-options.ts'

/** Translates between `POST /v1/scrape` and `POST /v2/scrape`. */
export const v1Scrape = {
  /** Throws BAD_REQUEST for requests that v2 rejects. */
  request: (v1: V1ScrapeRequest): ScrapeRequest => {
    const {
      formats,
      jsonOptions: _json,
      extract: _extract,
      changeTrackingOptions: _tracking,
      parsePDF,
      geolocation,
      ...same
    } = v1
    const result = scrapeRequest.safeParse({
      ...same,
      location: same.location ?? geolocation,
      parsers: parsePDF ? ['pdf'] : [],
      formats: formats.map((name) => toFormat(name, v1)),
    })
    if (result.success) return result.data
    throw invalidOptions(result.error)
  },

  response: (data: Document, { formats }: V1ScrapeRequest): Document => {
    if (!formats.includes('extract')) return data
    const { json, ...rest } = data
    return { ...rest, extract: json }
  },

  /** Adds the name that `json` may have had: the formats of a stored scrape are not known. */
  stored: (data: Document): Document => ('json' in data ? { ...data, extract: data.json } : data),
}

function toFormat(name: V1ScrapeRequest['formats'][number], v1: V1ScrapeRequest): FormatInput {
  switch (name) {
    case 'json':
    case 'extract': {
      const { schema, prompt, systemPrompt } = (name === 'json' ? v1.jsonOptions : v1.extract) ?? {}
      const combined = [systemPrompt, prompt].filter((part) => part !== undefined).join('\n\n')
      return { type: 'json', schema, prompt: combined === '' ? undefined : combined }
    }
    case 'changeTracking':
      return { type: 'changeTracking', ...v1.changeTrackingOptions }
    default:
      return name
  }
}
