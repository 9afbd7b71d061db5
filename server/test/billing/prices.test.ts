import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../../../test/lab/source-tree.ts'
import { parseConfig, readConfig } from '../../src/config.ts'
import { unreserved } from '../../src/billing/account.ts'
import {
  defaultPrices,
  priceOfExtract,
  priceOfScrape,
  priceOfSearch,
  priceOfSession,
  withPrices,
} from '../../src/billing/prices.ts'

test('configured prices override the defaults', () => {
  const { prices } = readConfig({}, { BOWLINE_PRICES: 'page=2, browserHour=60' })

  expect(withPrices(prices)).toEqual({ ...defaultPrices, page: 2, browserHour: 60 })
})

test('the guide lists all prices with their defaults', async () => {
  const guide = await readFile(join(repository, 'docs/guide/usage.md'), 'utf8')
  const rows = [...guide.matchAll(/\| *(\d+) *\| *`(\w+)` *\|/g)]

  expect(Object.fromEntries(rows.map(([, credits, name = '']) => [name, Number(credits)]))).toEqual(defaultPrices)
})

test('the error for an unknown price lists the known ones', () => {
  expect(() => withPrices(['pages=2'])).toThrow(/Unknown price `pages`. Prices: .*page=1.*mapCall=1/)
  expect(() => parseConfig({ prices: ['page=free'] })).toThrow(
    /`prices` does not accept .* It takes comma-separated name=credits/,
  )
})

test('rate limits are off by default, and the error for an invalid one lists the allowed values', () => {
  expect(parseConfig({}).rateLimits).toEqual({})
  expect(readConfig({ rateLimits: 'scrape=5' }, {}).rateLimits).toEqual({ scrape: 5 })
  expect(() => parseConfig({ rateLimits: 'fast' })).toThrow(/`rateLimits` does not accept "fast"\. It takes "off"/)
})

test('a blank variable counts as unset, and numbers must be written in digits', () => {
  expect(readConfig({}, { BOWLINE_PORT: ' ', BOWLINE_MAX_PAGES: '\t' })).toEqual(parseConfig({}))
  expect(() => parseConfig({ port: ' ' })).toThrow('`port` does not accept " ". It takes a whole number')
  expect(() => readConfig({}, { BOWLINE_PORT: '1e3' })).toThrow('BOWLINE_PORT does not accept "1e3"')
})

test('a session costs one credit per half minute', () => {
  const halfMinutes = Array.from({ length: 119 }, (_, index) => index + 2)

  expect(halfMinutes.map((count) => priceOfSession(defaultPrices, count * 30_000))).toEqual(halfMinutes)
})

test.each([
  [0, 2],
  [1, 2],
  [60_000, 2],
  [60_001, 3],
  [90_000, 3],
  [930_000, 31],
  [3_600_000, 120],
  [86_400_000, 2880],
])('a session of %d ms costs %d credits', (durationMs, credits) => {
  expect(priceOfSession(defaultPrices, durationMs)).toBe(credits)
})

const plain = {
  isLlmPriced: false,
  isEnhanced: false,
  isLockdown: false,
  isZeroRetention: false,
  isRedacted: false,
  pages: 1,
}

test.each([
  ['a page', {}, 1],
  ['an empty PDF', { pages: 0 }, 1],
  ['a PDF of 30 pages', { pages: 30 }, 30],
  ['an extraction', { isLlmPriced: true }, 5],
  ['the enhanced proxy', { isEnhanced: true }, 5],
  ['an extraction through the enhanced proxy', { isLlmPriced: true, isEnhanced: true }, 5],
  ['a cache lookup', { isLockdown: true }, 5],
  ['zero data retention', { isZeroRetention: true }, 2],
  ['zero data retention of a stored page', { isZeroRetention: true, isLockdown: true }, 5],
  ['redacted personal data', { isRedacted: true }, 5],
  ['a PDF of 3 pages with redacted personal data', { isRedacted: true, pages: 3 }, 15],
  ['everything', { isLlmPriced: true, isEnhanced: true, isLockdown: true, isZeroRetention: true, pages: 3 }, 11],
])('%s costs the right number of credits', (_what, billed, credits) => {
  expect(priceOfScrape(defaultPrices, { ...plain, ...billed })).toBe(credits)
})

test.each([
  [0, 0],
  [1, 2],
  [10, 2],
  [11, 4],
  [100, 20],
])('a search with %d results costs %d credits', (results, credits) => {
  expect(priceOfSearch(defaultPrices, results)).toBe(credits)
})

test.each([
  [0, 20],
  [4, 20],
  [5, 25],
])('an extraction from %d pages costs %d credits', (pages, credits) => {
  expect(priceOfExtract(defaultPrices, pages)).toBe(credits)
})

test.each([
  [undefined, 0, Infinity],
  [100, 0, 100],
  [100, 30, 70],
  [100, 130, -30],
  [-5, 0, -5],
  [0, 0, 0],
])('a team with %s credits of which %d are reserved can spend %d', (credits, reservedCredits, left) => {
  expect(unreserved({ credits, reservedCredits })).toBe(left)
})

test('email requires a public URL for its links', () => {
  const smtpUrl = 'smtp://mail.example:587'

  expect(() => parseConfig({ smtpUrl })).toThrow('`smtpUrl` requires `--public-url`')
  expect(() => readConfig({}, { BOWLINE_SMTP_URL: smtpUrl })).toThrow('BOWLINE_SMTP_URL requires')
  expect(parseConfig({ smtpUrl, publicUrl: 'https://bowline.example' })).toMatchObject({ smtpUrl })
})
