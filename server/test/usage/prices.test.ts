import { expect, test } from 'vitest'
import { parseConfig, readConfig } from '../../src/config.ts'
import { defaultPrices, priceOfSession, withPrices } from '../../src/usage/prices.ts'

test('prices are the usual ones but for those that are set', () => {
  const { prices } = readConfig({}, { BOWLINE_PRICES: 'page=2, browserHour=60' })

  expect(withPrices(prices)).toEqual({ ...defaultPrices, page: 2, browserHour: 60 })
})

test('a price that does not exist is answered with those that do', () => {
  expect(() => withPrices(['pages=2'])).toThrow(/Unknown price `pages`. Prices: .*page=1.*mapCall=1/)
  expect(() => parseConfig({ prices: ['page=free'] })).toThrow(
    /`prices` does not accept .* It takes comma-separated name=credits/,
  )
})

test('limits of requests are off unless they are set, and a wrong one says which there are', () => {
  expect(parseConfig({}).rateLimits).toEqual({})
  expect(readConfig({ rateLimits: 'scrape=5' }, {}).rateLimits).toEqual({ scrape: 5 })
  expect(() => parseConfig({ rateLimits: 'fast' })).toThrow(/`rateLimits` does not accept "fast"\. It takes "off"/)
})

test('a blank variable is as good as none, and a number is written in digits', () => {
  expect(readConfig({}, { BOWLINE_PORT: ' ', BOWLINE_MAX_PAGES: '\t' })).toEqual(parseConfig({}))
  expect(() => parseConfig({ port: ' ' })).toThrow('`port` does not accept " ". It takes a whole number')
  expect(() => readConfig({}, { BOWLINE_PORT: '1e3' })).toThrow('BOWLINE_PORT does not accept "1e3"')
})

test('a session of whole half minutes costs as many credits', () => {
  const halfMinutes = Array.from({ length: 119 }, (_, index) => index + 2)

  expect(halfMinutes.map((count) => priceOfSession(defaultPrices, count * 30_000))).toEqual(halfMinutes)
})

test('mails need the address that their links lead to', () => {
  const smtpUrl = 'smtp://mail.example:587'

  expect(() => parseConfig({ smtpUrl })).toThrow('`smtpUrl` requires `--public-url`')
  expect(() => readConfig({}, { BOWLINE_SMTP_URL: smtpUrl })).toThrow('BOWLINE_SMTP_URL requires')
  expect(parseConfig({ smtpUrl, publicUrl: 'https://bowline.example' })).toMatchObject({ smtpUrl })
})
