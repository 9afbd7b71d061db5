import { expect, test } from 'vitest'
import { adaptHeaders } from '../../src/cdp/extra-headers.ts'

const rules = [
  { matches: (origin: string) => origin === 'https://a', headers: { 'X-Key': 'secret', 'x-b': '1' } },
  { matches: (origin: string) => origin === 'https://e', headers: { referer: 'https://a/?secret' } },
  { matches: (origin: string) => origin === 'https://c', headers: { 'x-key': 'other' } },
]

test.each([
  ['are added to a request', 'https://a/', { accept: '*/*' }, false, { accept: '*/*', 'X-Key': 'secret', 'x-b': '1' }],
  ['do not replace those of the request', 'https://a/', { 'x-KEY': 'own' }, false, { 'x-KEY': 'own', 'x-b': '1' }],
  ['are not for other URLs', 'https://d/', { accept: '*/*' }, false, undefined],
  ['leave a request with the same header alone', 'https://d/', { 'x-key': 'secret' }, false, undefined],
  ['are removed by a redirect', 'https://d/', { 'x-key': 'secret', 'X-B': '1', dnt: '1' }, true, { dnt: '1' }],
  ['lose a Referer by a redirect', 'https://d/', { Referer: 'https://a/?secret' }, true, { Referer: '' }],
  ['are replaced by a redirect', 'https://c/', { 'x-key': 'secret', 'x-b': '1' }, true, { 'x-key': 'other' }],
  ['stay after a redirect to the same origin', 'https://a/', { 'X-Key': 'secret', 'x-b': '1' }, true, undefined],
])('extra headers %s', (_name, url, headers, isRedirected, expected) => {
  expect(adaptHeaders(rules, { url, headers }, isRedirected)).toEqual(expected)
})

test.each([
  ['https://user:name@a:8443/path', 'https://a:8443'],
  [`http://a/${'../'.repeat(1000)}?https://c/`, 'http://a'],
  ['blob:https://a/1', 'blob://'],
  ['https://', ''],
])('rules decide on the origin alone, since pages may request long URLs', (url, expected) => {
  const seen: string[] = []
  const matches = (origin: string): boolean => seen.push(origin) === 0

  adaptHeaders([{ matches, headers: {} }], { url, headers: {} }, false)

  expect(seen).toEqual([expected])
})
