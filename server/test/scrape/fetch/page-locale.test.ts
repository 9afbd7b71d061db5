import { expect, test } from 'vitest'
import { localeOf } from '../../../src/scrape/fetch/page-locale.ts'

test.each([
  ['de-CH', ['de-CH']],
  ['fr;q=0.5, de-CH, en ; q = 0.7', ['de-CH', 'en', 'fr']],
  ['de, DE;q=0.9, de;q=0.1', ['de', 'DE']],
  ['it;q=0, *;q=0.1, not a language, fr', ['fr']],
  ['pt_BR', ['pt-BR']],
  ['de;q=nothing, en', ['en']],
  ['*', ['es-ES']],
  ['', ['es-ES']],
  [undefined, ['es-ES']],
])('the header `Accept-Language: %s` means the languages %j', (header, languages) => {
  expect(
    localeOf({
      location: { country: 'es', languages: [] },
      headers: header === undefined ? {} : { 'Accept-Language': header },
    }),
  ).toMatchObject({
    languages,
    timezone: 'Europe/Madrid',
  })
})

test('at most 20 languages of a header are read', () => {
  const header = Array.from({ length: 30 }, (_, index) => `de-${String(index).padStart(8, '0')}`).join()

  expect(localeOf({ headers: { 'accept-language': header } }).languages).toHaveLength(20)
})
