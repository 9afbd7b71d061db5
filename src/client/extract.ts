import { sleep } from '../kit/sleep.ts'
import type { ExtractOptions, ExtractStatusResponse } from '../contract/extract.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import { pollRetries, type Call } from './call.ts'

/**
 * Result of `bowline.extract()`.
 *
 * @example
 * ```ts
 * import type { Extraction } from 'bowline'
 *
 * function dataOf({ data, warning, invalidUrls }: Extraction): unknown {
 *   if (warning !== undefined) console.warn(warning)
 *   if (invalidUrls.length > 0) console.warn(`Skipped: ${invalidUrls.join(', ')}`)
 *   return data
 * }
 * ```
 */
export interface Extraction {
  readonly id: string
  /** Extracted data, in the shape of `schema` if one was given. */
  readonly data: unknown
  /** Source URLs of each field. Only with `showSources`. */
  readonly sources: unknown
  /** Describes pages that could not be read. */
  readonly warning: string | undefined
  readonly creditsUsed: number | undefined
  /** Strings that are not valid URLs and were skipped. */
  readonly invalidUrls: readonly string[]
}

/** Extraction of structured data. */
export interface Extracting {
  /**
   * Extracts structured data from pages with the language model of the server, by prompt, by JSON
   * schema, or both. A URL that ends in `/*` includes the pages below it.
   *
   * Rejects with EXTRACT_FAILED, and with FORMAT_UNAVAILABLE if the server has no language model.
   * Aborting stops the wait; the server completes the job and bills it.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   *
   * const bowline = new Bowline()
   * const { data } = await bowline.extract('https://example.com', {
   *   prompt: 'Extract the heading of the page.',
   *   schema: { type: 'object', properties: { heading: { type: 'string' } } },
   * })
   * console.log(data)
   * ```
   */
  readonly extract: (
    urls: string | readonly string[],
    options: ExtractOptions,
    requestOptions?: Abortable,
  ) => Promise<Extraction>
  /**
   * Returns the state and result of an extraction, up to 24 hours after its end. Rejects with
   * EXTRACT_NOT_FOUND.
   */
  readonly getExtract: (id: string, requestOptions?: Abortable) => Promise<ExtractStatusResponse>
}

const firstPauseMs = 200
const longestPauseMs = 2000

/** Creates `extract` and `getExtract` of a client. */
export function createExtracting(call: Call): Extracting {
  const getExtract: Extracting['getExtract'] = async (id, requestOptions = {}) =>
    call('getExtract', { params: { id } }, requestOptions)
  return {
    getExtract,
    extract: async (urls, options, requestOptions = {}) => {
      const body = { ...options, urls: typeof urls === 'string' ? [urls] : [...urls] }
      const { id, invalidURLs } = await call('startExtract', { body }, requestOptions)
      const polling = { ...requestOptions, minRetries: pollRetries }
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
        const { status, data, sources, warning, creditsUsed, error } = await call(
          'getExtract',
          { params: { id } },
          polling,
        )
        if (status === 'completed') {
          return { id, data, sources, warning, creditsUsed, invalidUrls: invalidURLs ?? [] }
        }
        if (status !== 'processing') {
          throw new BowlineError(
            'EXTRACT_FAILED',
            `Extraction ${id} ${status}: ${error ?? 'the server gave no reason'}`,
          )
        }
        await sleep(pauseMs, requestOptions.signal)
      }
    },
  }
}
