import { expect, test } from 'vitest'
import { asCode, asPython } from '../../dashboard/playground/as-code.ts'

test.each([
  'https://example.com/',
  "https://example.com/');process.exit();('",
  'a [ b, c ] d',
  String.raw`back\slash "quoted" ${'`'} and ${'$'}{more}`,
])('the text %s is one string literal in the code', (text) => {
  // oxlint-disable-next-line typescript/no-implied-eval -- what is shown is a program
  expect(new Function(`return ${asCode(text)}`)()).toBe(text)
})

test('strings next to one with an apostrophe keep their quotes', () => {
  expect(asCode({ limit: 10, search: "ship's bell", sitemap: 'only', formats: ['html', 'links'] })).toBe(
    `{\n  limit: 10,\n  search: "ship's bell",\n  sitemap: 'only',\n  formats: ['html', 'links']\n}`,
  )
})

test('a value as Python is one literal', () => {
  expect(asPython({ url: 'https://example.com/?q=\'a"', mobile: true, waitFor: 0, formats: ['html'] })).toBe(
    String.raw`{"url": "https://example.com/?q='a\"", "mobile": True, "waitFor": 0, "formats": ["html"]}`,
  )
})
