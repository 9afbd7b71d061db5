import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from '../../../../test/lab/pages/page.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

const text = 'if a<b & "c" <script>alert(1)</script>\n'

const contentTypes = ['text/plain', 'text/markdown', 'application/json']

let fixture: ScrapeFixture
beforeAll(async () => {
  const pages = contentTypes.map((contentType): [string, Page] => [
    `/${contentType}`,
    ({ response }) => void response.setHeader('content-type', contentType).end(text),
  ])
  fixture = await startScrapeFixture({}, Object.fromEntries(pages))
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test.each(contentTypes)('the HTML of %s is escaped', async (contentType) => {
  const { html, rawHtml } = await fixture.read(`/${contentType}`, { formats: ['html', 'rawHtml'] })

  expect(html).toBe('<pre>if a&lt;b &amp; &quot;c&quot; &lt;script&gt;alert(1)&lt;/script&gt;\n</pre>')
  expect(rawHtml).toBe(text)
})

test('the HTML of a PDF is its escaped text, also from the cache', async () => {
  const options = { formats: ['html'], maxAge: 60_000 }
  const [first, cached] = [await fixture.read('/three.pdf', options), await fixture.read('/three.pdf', options)]

  expect(first['html']).toMatch(/^<pre>[^<]*Second page[^<]*<\/pre>$/)
  expect(cached['html']).toBe(first['html'])
})
