import { expect, test } from 'vitest'
import { readTimeRange, searchRequest, searchRequestV1 } from '../../../src/contract.ts'
import { textSearchLanguage } from '../../src/search/text-search-language.ts'
import { countryOf } from '../../src/search/country.ts'
import { keepMatching } from '../../src/search/keep-matching.ts'
import { parseQuery, writeQuery } from '../../src/search/parse-query.ts'
import { plainText } from '../../src/search/plain-text.ts'
import { webQuery } from './fixture.ts'

function read(query: string): readonly string[] {
  return parseQuery(query).map((clause) =>
    [clause, ...(clause.alternatives ?? [])]
      .map(({ kind, value, isExcluded }) => `${isExcluded ? 'not ' : ''}${kind} ${value}`)
      .join(' | '),
  )
}

test.each([
  ['red shoes', ['text red', 'text shoes']],
  ['"red shoes" -blue', ['phrase red shoes', 'not text blue']],
  ['-"red shoes" -site:b.example', ['not phrase red shoes', 'not site b.example']],
  ['site:https://Docs.Example.com/Guide/', ['site docs.example.com/guide']],
  ['inurl:blog intitle:"big news"', ['inurl blog', 'intitle big news']],
  ['allinurl:blog news -old tips', ['inurl blog', 'inurl news', 'not text old', 'text tips']],
  ['allintitle: big news', ['intitle big', 'intitle news']],
  ['related:example.com', ['related example.com']],
  ['well-known - "open', ['text well-known', 'phrase open']],
  ['filetype:PDF ext:.xlsx -filetype:doc', ['filetype pdf', 'filetype xlsx', 'not filetype doc']],
  ['red OR "dark blue" OR green shoes', ['text red | phrase dark blue | text green', 'text shoes']],
  ['site:a.example OR site:b.example boats', ['site a.example | site b.example', 'text boats']],
  ['filetype:pdf OR ext:doc boats', ['filetype pdf | filetype doc', 'text boats']],
  // Words cannot be joined with sites. A leading OR and a lower-case "or" are words.
  ['OR boats OR site:a.example or -red', ['text OR', 'text boats', 'site a.example', 'text or', 'not text red']],
  ['  - "" site: ', []],
  ['', []],
  ['\ufeff\t\r\n red \u00a0 shoes ', ['text red', 'text shoes']],
  ['SITE:A.example FileType:.PDF', ['site a.example', 'filetype pdf']],
  ['site: "a.example"', ['site a.example']],
  ['site:site:a.example', []],
  ['--red ---', ['not text -red', 'not text --']],
  ['"red', ['phrase red']],
  ['red"shoes"', ['text red"shoes"']],
  ['OR OR red OR', ['text OR | text red']],
  ['red OR -blue', ['text red', 'not text blue']],
  ['größe 東京 😀', ['text größe', 'text 東京', 'text 😀']],
  ['https://a.example/x', ['text https://a.example/x']],
  ['constructor:x __proto__:y', ['text constructor:x', 'text __proto__:y']],
  ['site:*.a.example site:https://*.b.example/', ['site a.example', 'site b.example']],
  ["'; drop table team; --", ["text ';", 'text drop', 'text table', 'text team;', 'not text -']],
])('parses the query %s', (query, clauses) => {
  expect(read(query)).toEqual(clauses)
})

test('a parsed query is formatted as it was written', () => {
  const query = 'shoes OR boots "red laces" -blue filetype:pdf site:a.example -inurl:old intitle:"big news"'

  expect(writeQuery(parseQuery(query))).toBe(query)
})

test.each([
  ['site:a.example', 'http://docs.a.example/x', true],
  ['site:a.example', 'http://ba.example/x', false],
  ['site:a.example/docs', 'http://a.example/docs/x', true],
  ['site:a.example/docs', 'http://a.example/blog', false],
  ['site:a.example OR site:b.example', 'http://b.example/', true],
  ['site:a.example OR site:b.example', 'http://c.example/', false],
  ['filetype:doc OR filetype:pdf', 'http://a.example/x.pdf', true],
  ['filetype:doc OR filetype:pdf', 'http://a.example/x.html', false],
  ['filetype:pdf', 'http://a.example/x.PDF?y', true],
  ['filetype:pdf', 'http://a.example/x.html', false],
  ['filetype:pdf', 'http://a.example/download/7', true],
  ['-filetype:pdf', 'http://a.example/x.pdf', false],
  ['-site:a.example', 'http://docs.a.example/x', false],
  ['inurl:red-shoes', 'http://a.example/shoes/red', true],
  ['inurl:red', 'http://a.example/reddish', false],
  ['-inurl:red', 'http://a.example/red', false],
  ['intitle:harbour', 'http://a.example/', true],
  ['allintitle:harbour town', 'http://a.example/', false],
  ['-intitle:harbour', 'http://a.example/', false],
  ['-quiet', 'http://a.example/', false],
  ['-"quiet boats"', 'http://a.example/', true],
  ['related:a.example', 'http://b.example/', true],
  ['related:a.example', 'http://a.example/', false],
  ['anything', 'http://a.example/', true],
])('%s and the result %s', (query, url, fits) => {
  const results = [{ url, title: 'The Harbour', description: 'Boats lie quiet.' }]

  expect(keepMatching(results, webQuery(query))).toHaveLength(fits ? 1 : 0)
})

const now = Date.parse('2026-03-10T12:00:00Z')

test.each([
  ['qdr:h', '2026-03-10T11:00:00.000Z', undefined],
  ['qdr:d', '2026-03-09T12:00:00.000Z', undefined],
  ['qdr:w2', '2026-02-24T12:00:00.000Z', undefined],
  ['cdr:1,cd_min:1/31/2026,cd_max:02/01/2026', '2026-01-31T00:00:00.000Z', '2026-02-01T23:59:59.999Z'],
  ['cdr:1,cd_max:02/01/2026', undefined, '2026-02-01T23:59:59.999Z'],
])('parses the time filter %s', (tbs, from, until) => {
  const range = readTimeRange(tbs, now)

  expect([range?.from?.toISOString(), range?.until?.toISOString()]).toEqual([from, until])
})

test.each(['qdr:x', 'qdr:', 'cdr:1', 'cdr:1,cd_min:02/30/2026', 'cdr:1,cd_min:02/02/2026,cd_max:02/01/2026', 'soon'])(
  'rejects the time filter %s',
  (tbs) => {
    expect(readTimeRange(tbs)).toBeUndefined()
    expect(searchRequest.safeParse({ query: 'x', tbs }).error?.issues[0]?.message).toContain('qdr:d')
  },
)

test('applies the defaults of both versions', () => {
  expect(searchRequest.parse({ query: ' x ' })).toMatchObject({ query: 'x', limit: 10, sources: [{ type: 'web' }] })
  expect(searchRequestV1.parse({ query: 'x' })).toMatchObject({ limit: 5, timeout: 60_000, ignoreInvalidURLs: false })
})

test.each([
  ['Germany', 'de'],
  ['San Francisco, California, United States', 'us'],
  ['London, UK', 'gb'],
  ['Middle-earth', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
  ['European Union', undefined],
  ['Unknown Region', undefined],
])('the location %s is in %s', (location, country) => {
  expect(countryOf(location)).toBe(country)
})

test.each([
  ['pt-BR', 'portuguese'],
  ['tlh', 'simple'],
  ['constructor', 'simple'],
])('texts in %s are indexed as %s', (language, configuration) => {
  expect(textSearchLanguage(language)).toBe(configuration)
})

test('Markdown syntax is not indexed as words', () => {
  const text = plainText(
    '# Big *news*\n\n> See [the port](http://a.example/x) ![boat](b.png)\n\n| a | b |\n| --- | --- |\n',
  )

  expect(text).toBe('Big news See the port boat a b')
})
