import { describe, expect, test } from 'vitest'
import { bodyOf, insertFrames } from '../../../src/scrape/render/serialize-page.ts'
import { fixedPage } from '../../../../test/lab/pages/page.ts'
import { startScrapeFixture } from '../fixture.ts'

const limit = 20_000_001

test.each([
  ['<html><head></head><body class="a"><p>x</p></body></html>', '<p>x</p>'],
  ['<html><BODY><p>x</p>', '<p>x</p>'],
  ['<p>x</p>', '<p>x</p>'],
  [
    '<html><head><style>x{}</style></head><frameset></frameset></html>',
    '<html><head><style>x{}</style></head><frameset></frameset></html>',
  ],
])('the body of %j is %j', (html, body) => {
  expect(bodyOf(html)).toBe(body)
})

describe('a document that is cut at the maximum', () => {
  test('may consist of tags that do not end', () => {
    const html = `<html><head><style>${'<body '.repeat(limit / 6)}`
    const before = process.cpuUsage()

    expect(bodyOf(html)).toBe(html)

    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
  })

  test('may have many marks of frames in a tag that does not end', () => {
    const html = `<iframe ${'data-bowline-frame="A" '.repeat(800)}${'x'.repeat(limit - 20_000)}`
    const before = process.cpuUsage()

    expect(insertFrames(html, new Map())).toBe(html)

    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
  })
})

test('frames are inserted once, also into each other', () => {
  const parts = new Map([
    ['A', 'a<iframe data-bowline-frame="B"></iframe>'],
    ['B', 'b'],
  ])
  const mark = '<iframe src="x" data-bowline-frame="A" title="y">fallback</iframe>'

  expect(insertFrames(`${mark}${mark}`, parts)).toBe(
    '<div data-frame>a<div data-frame>b</div></div><div data-frame></div>',
  )
})

test('frames are inserted at any depth, without copying them for each level', () => {
  const ids = Array.from({ length: 50 }, (_, index) => index.toString(16).toUpperCase())
  const parts = new Map(
    ids.map((id, index) => [id, `level ${index}<iframe data-bowline-frame="${ids[index + 1] ?? 'FF'}"></iframe>`]),
  )
  parts.set('FF', 'x'.repeat(limit))
  const before = process.cpuUsage()

  const html = insertFrames('<iframe data-bowline-frame="0"></iframe>', parts)

  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
  expect(html.length).toBeGreaterThan(limit)
  expect(html.match(/level \d+/g)).toHaveLength(50)
})

test('frames that are omitted because all together are too long are named in a warning', async () => {
  const long = (word: string) => fixedPage('Frame', `<p>${word}</p><!--${'x'.repeat(11_000_000)}-->`)
  await using fixture = await startScrapeFixture(
    {},
    {
      '/frames': fixedPage('Frames', '<iframe src="/one"></iframe><iframe src="/two"></iframe>'),
      '/one': long('first'),
      '/two': long('second'),
    },
  )

  const { rawHtml, warning } = await fixture.read('/frames', { formats: ['rawHtml'], waitFor: 1, timeout: 60_000 })

  const text = String(rawHtml)
  expect([text.includes('<p>first</p>'), text.includes('<p>second</p>')]).toEqual([true, false])
  expect(warning).toBe('The frames of the page have more than 20,000,000 characters: the rest was omitted.')
})

test.each(['shell', 'chromium'] as const)(
  'frames that show an error page of the browser are empty: %s',
  async (browser) => {
    await using fixture = await startScrapeFixture(
      { browser },
      {
        '/broken': fixedPage(
          'Broken',
          '<p>The text of the page.</p><iframe src="http://10.0.0.1/"></iframe><iframe src="http://unknown.invalid/"></iframe>',
        ),
      },
    )

    // Full Chromium writes the error page shortly after the page has loaded.
    const { markdown, html } = await fixture.read('/broken', { formats: ['markdown', 'html'], waitFor: 2000 })

    expect(markdown).toBe('The text of the page.\n')
    expect(html).not.toMatch(/ERR_|error/i)
  },
)
