import { expect, test } from 'vitest'
import { comparePage } from '../../src/monitors/compare-page.ts'
import { compareTexts } from '../../src/scrape/format/git-diff.ts'

const compareLongTexts = async (before: string, after: string) => compareTexts(before, after)

test.each([
  ['no earlier data', undefined, { status: 'same' }],
  ['other earlier data', { price: 1 }, { status: 'changed', diff: { json: { price: { previous: 1, current: 2 } } } }],
])('extracted data is compared with that of the last check: %s', async (_, extracted, expected) => {
  const state = { monitorId: '', targetId: '', urlHash: '', url: '', markdown: '', extracted, scrapeId: undefined }
  const document = { json: { price: 2 }, metadata: { statusCode: 200 } }
  const how = { comparesJson: true, comparesText: false, compareLongTexts }

  expect(await comparePage(document, { ...state, isGone: false, checkedAt: new Date() }, how)).toEqual(expected)
})

test.each([false, true])('a coarse difference has a warning, also with extracted data: %s', async (comparesJson) => {
  const text = (salt: string): string =>
    Array.from({ length: 205_000 }, (_, index) => `${salt} ${index % 9}`).join('\n')
  const state = { monitorId: '', targetId: '', urlHash: '', url: '', extracted: undefined, scrapeId: undefined }
  const former = { ...state, markdown: text('old'), isGone: false, checkedAt: new Date() }

  const how = { comparesJson, comparesText: true, compareLongTexts }
  const { diff } = await comparePage({ markdown: text('new'), metadata: {} }, former, how)

  expect(diff?.['warning']).toContain('too many lines')
})
