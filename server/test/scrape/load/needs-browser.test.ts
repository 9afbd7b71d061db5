import { expect, test } from 'vitest'
import { scrapeRequest } from '../../../../src/contract/scrape.ts'
import { reasonsToRender, wayAfterFetch } from '../../../src/scrape/load/needs-browser.ts'

test.each([
  ['nothing special', {}, []],
  ['headers and a place', { headers: { 'x-a': 'b' }, location: { country: 'DE' } }, []],
  ['a picture', { formats: ['screenshot'] }, ['screenshot']],
  ['a wait on a phone', { waitFor: 10, mobile: true }, ['waitFor', 'mobile']],
  ['actions with a profile', { actions: [{ type: 'scrape' }], profile: { name: 'a' } }, ['actions', 'profile']],
])('%s needs a browser for what only a browser can do', (_, options, reasons) => {
  expect(reasonsToRender(scrapeRequest.parse({ url: 'example.com', ...options }))).toEqual(reasons)
})

test.each([
  ['an article', { kind: 'html', statusCode: 200, isShell: false, saysWhen: false }, 'fetch'],
  ['a shell', { kind: 'html', statusCode: 200, isShell: true, saysWhen: false }, 'render'],
  ['a page that turns readers away', { kind: 'html', statusCode: 403, isShell: false, saysWhen: false }, 'render'],
  ['a page that says when to return', { kind: 'html', statusCode: 429, isShell: false, saysWhen: true }, 'fetch'],
  ['a busy page that does not', { kind: 'html', statusCode: 503, isShell: false, saysWhen: false }, 'render'],
  ['a page that is not there', { kind: 'html', statusCode: 404, isShell: false, saysWhen: false }, 'fetch'],
  ['a PDF', { kind: 'pdf', statusCode: 200, isShell: false, saysWhen: false }, 'fetch'],
] as const)('after %s was fetched, the way is clear', (_, page, way) => {
  expect(wayAfterFetch({ fastMode: false }, page)).toBe(way)
  expect(wayAfterFetch({ fastMode: true }, page)).toBe('fetch')
})
