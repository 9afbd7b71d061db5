import { expect, test } from 'vitest'
import { parseConfig, readConfig } from '../../src/config.ts'
import { defaultPrices, priceOfSession, withPrices } from '../../src/billing/prices.ts'

test('configured prices override the defaults', () => {
  const { prices } = readConfig({}, { BOWLINE_PRICES: 'page=2, browserHour=60' })

  expect(withPrices(prices)).toEqual({ ...defaultPrices, page: 2, browserHour: 60 })
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

test('mail requires a public URL for its links', () => {
  const smtpUrl = 'smtp://mail.example:587'

  expect(() => parseConfig({ smtpUrl })).toThrow('`smtpUrl` requires `--public-url`')
  expect(() => readConfig({}, { BOWLINE_SMTP_URL: smtpUrl })).toThrow('BOWLINE_SMTP_URL requires')
  expect(parseConfig({ smtpUrl, publicUrl: 'https://bowline.example' })).toMatchObject({ smtpUrl })
})
