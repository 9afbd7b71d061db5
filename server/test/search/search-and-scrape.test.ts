import { searchRequest } from 'bowline/contract/search'
import { abortable } from 'bowline/kit/abort'
import { expect, test } from 'vitest'
import { searchAndScrape, type SearchAndScrapeDeps } from '../../src/search/search-and-scrape.ts'

const never = new Promise<never>(() => undefined)
const searches = { searchAndBill: async (_params: unknown, signal: AbortSignal) => abortable(never, signal) }

function searchUntil(signal: AbortSignal, timeout: number) {
  const request = searchRequest.parse({ query: 'boats', timeout })
  const params = { request, teamId: 'team', apiKeyId: 'key', baseUrl: 'http://127.0.0.1', signal }
  return searchAndScrape({ searches } as unknown as SearchAndScrapeDeps, params)
}

test('a search ends at its timeout', async () => {
  await expect(searchUntil(new AbortController().signal, 20)).rejects.toMatchObject({
    code: 'SEARCH_TIMEOUT',
    status: 408,
    message: 'The search timed out after 20 ms',
  })
})

test('a search ends when its client leaves', async () => {
  await expect(searchUntil(AbortSignal.abort(new Error('left')), 20_000)).rejects.toThrow('left')
})
