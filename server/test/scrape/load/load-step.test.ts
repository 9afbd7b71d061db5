import { expect, test } from 'vitest'
import { scrapeRequest } from '../../../../src/contract/scrape.ts'
import { browserOnlyOptions, nextLoadStep } from '../../../src/scrape/load/load-step.ts'

test.each([
  ['no options', {}, []],
  ['headers and a location', { headers: { 'x-a': 'b' }, location: { country: 'DE' } }, []],
  ['a picture', { formats: ['screenshot'] }, ['screenshot']],
  ['a wait on a phone', { waitFor: 10, mobile: true }, ['waitFor', 'mobile']],
  ['actions with a profile', { actions: [{ type: 'scrape' }], profile: { name: 'a' } }, ['actions', 'profile']],
])('%s uses a browser for options that require one', (_, options, reasons) => {
  expect(browserOnlyOptions(scrapeRequest.parse({ url: 'example.com', ...options }))).toEqual(reasons)
})

test.each([
  ['an article', { kind: 'html', statusCode: 200, isShell: false, hasRetryAfter: false }, 'fetch'],
  ['a shell', { kind: 'html', statusCode: 200, isShell: true, hasRetryAfter: false }, 'render'],
  ['a page with status 403', { kind: 'html', statusCode: 403, isShell: false, hasRetryAfter: false }, 'render'],
  ['a busy page with Retry-After', { kind: 'html', statusCode: 429, isShell: false, hasRetryAfter: true }, 'fetch'],
  [
    'a busy page without Retry-After',
    { kind: 'html', statusCode: 503, isShell: false, hasRetryAfter: false },
    'render',
  ],
  ['a missing page', { kind: 'html', statusCode: 404, isShell: false, hasRetryAfter: false }, 'fetch'],
  ['a PDF', { kind: 'pdf', statusCode: 200, isShell: false, hasRetryAfter: false }, 'fetch'],
] as const)('after %s was fetched, the next step follows from the response', (_, page, way) => {
  expect(nextLoadStep({ fastMode: false }, page)).toBe(way)
  expect(nextLoadStep({ fastMode: true }, page)).toBe('fetch')
})
