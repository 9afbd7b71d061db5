import { setTimeout as sleep } from 'node:timers/promises'
import type { ExtractOptions, ExtractStatusResponse } from '../contract/extract.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'

/** What a language model found in pages. */
export interface Extraction {
  readonly id: string
  readonly data: unknown
  /** Which pages were read, with `showSources`. */
  readonly sources: unknown
  /** What could not be read. */
  readonly warning: string | undefined
  readonly creditsUsed: number | undefined
  /** Addresses that were left out because they are none. */
  readonly invalidUrls: readonly string[]
}

/** Data from pages. */
export interface Extracting {
  /**
   * Has the server's language model extract data from pages: by prompt, by schema or both; `/*` at the end of an address
   * stands for the pages under it. Rejects with EXTRACT_FAILED, or FORMAT_UNAVAILABLE where the server has no model.
   * Aborting stops the wait; the server goes on and bills.
   */
  readonly extract: (urls: string | readonly string[], options: ExtractOptions, how?: Abortable) => Promise<Extraction>
  /** Reads an extraction again, until 24 hours after its end. Rejects with EXTRACT_NOT_FOUND. */
  readonly getExtract: (id: string, how?: Abortable) => Promise<ExtractStatusResponse>
}

const firstPauseMs = 200
const longestPauseMs = 2000

/** Makes the extracting part of a client. */
export function createExtracting(call: Call): Extracting {
  const getExtract: Extracting['getExtract'] = async (id, how = {}) => call('getExtract', { params: { id } }, how)
  return {
    getExtract,
    extract: async (urls, options, how = {}) => {
      const body = { ...options, urls: typeof urls === 'string' ? [urls] : [...urls] }
      const { id, invalidURLs } = await call('startExtract', { body }, how)
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
        const { status, data, sources, warning, creditsUsed, error } = await getExtract(id, how)
        if (status === 'completed') {
          return { id, data, sources, warning, creditsUsed, invalidUrls: invalidURLs ?? [] }
        }
        if (status !== 'processing') {
          throw new BowlineError('EXTRACT_FAILED', `The extraction ${id} ${status}: ${error ?? 'no reason given'}`)
        }
        await sleep(pauseMs, undefined, { signal: how.signal })
      }
    },
  }
}
