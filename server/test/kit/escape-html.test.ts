import { expect, test } from 'vitest'
import { escapeHtml } from '../../src/kit/escape-html.ts'

test.each([
  ['', ''],
  ['plain text', 'plain text'],
  [`<a href="x" title='y'>`, '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;'],
  ['&amp;', '&amp;amp;'],
  ['$& ünïcode 😀', '$&amp; ünïcode 😀'],
])('escapes %j as %j', (text, escaped) => {
  expect(escapeHtml(text)).toBe(escaped)
})
