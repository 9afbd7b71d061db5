import { expect, test } from 'vitest'
import { processHtml, type HtmlJob } from '../../../src/scrape/format/process-html.ts'
import { htmlParsed } from '../../../src/scrape/parse/parse-html.ts'
import { startScrapeFixture } from '../fixture.ts'

const url = 'https://site.example/'
const short = `<title>T</title><script src="/app.js"></script><main><h1>Boats</h1><p>In <a href="/h">harbours</a> they wait for the tide.</p></main>`
const shell = '<script src="/app.js"></script><div id="root"></div>'
const selectors = [{ selector: 'a', attribute: 'href' }]

test.each<readonly [string, string, Omit<HtmlJob, 'html' | 'url' | 'options'>]>([
  ['Markdown', short, { formats: ['markdown'] }],
  ['Markdown, links and metadata', short, { formats: ['markdown', 'links'] }],
  ['HTML and images', short, { formats: ['html', 'images'] }],
  ['no format but the raw HTML', short, { formats: [] }],
  ['attributes', short, { formats: [], attributes: selectors }],
  ['everything', short, { formats: ['markdown', 'html', 'links', 'images'], attributes: selectors }],
  ['an empty shell', shell, { formats: ['markdown'], attributes: selectors }],
])('the HTML of a page is parsed once for %s', (_, html, job) => {
  for (const onlyMainContent of [true, false]) {
    const parsed: unknown[] = []
    const count = (length: unknown): void => void parsed.push(length)
    htmlParsed.subscribe(count)
    const result = processHtml({ html, url, options: { onlyMainContent, blockAds: true }, ...job })
    htmlParsed.unsubscribe(count)

    expect(parsed).toEqual([html.length])
    expect(result.isShell).toBe(html === shell)
    expect(result.attributes?.[0]?.values).toEqual(job.attributes && (html === shell ? [] : ['/h']))
  }
})

test.each<readonly [string, boolean, Omit<HtmlJob, 'html' | 'url' | 'options'>]>([
  ['only raw HTML', false, { formats: [] }],
  ['links', true, { formats: ['links'] }],
  ['attributes', true, { formats: [], attributes: selectors }],
  ['the product', true, { formats: [], wantsProduct: true }],
])('a page with too many elements has a warning if formats miss some: %s', (_, hasWarning, job) => {
  const { warning } = processHtml({ html: '<b>a</b> '.repeat(200_000), url, options: {}, ...job })

  expect(warning?.includes('500,000 elements') ?? false).toBe(hasWarning)
})

test.each([
  ['frames', '<frameset cols="50%,50%"><frame src="/menu"><frame src="/text"></frameset>', true],
  ['an inline frame', '<body><iframe src="/text"></iframe></body>', true],
  [
    'an inline frame and text',
    `<body><iframe src="/ad"></iframe><p>${'Boats wait for the tide. '.repeat(20)}</p></body>`,
    false,
  ],
  ['nothing', '<body></body>', false],
])('a page of %s: whether it is empty without its frames', (_, html, isShell) => {
  expect(processHtml({ html, url, formats: ['markdown'], options: {} })).toMatchObject({ isShell })
})

test('a page of frames is rendered, with their text', async () => {
  await using fixture = await startScrapeFixture(
    {},
    {
      '/frames': ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.end(
          '<title>Frames</title><frameset cols="50%,50%"><frame src="/article"><frame src="/menu"></frameset>',
        )
      },
    },
  )

  expect(await fixture.read('/frames')).toMatchObject({ markdown: expect.stringMatching(/harbour/i) })
})

test('the main thread parses no page, whether it is fetched, rendered, from the cache or a PDF', async () => {
  await using fixture = await startScrapeFixture()
  const formats = ['markdown', 'html', 'rawHtml', 'links']
  const parsed: unknown[] = []
  const count = (length: unknown): void => void parsed.push(length)
  htmlParsed.subscribe(count)
  await fixture.read('/article', { formats })
  await fixture.read('/article', { formats: [...formats, 'images'], maxAge: 60_000 })
  await fixture.read('/article', { actions: [{ type: 'wait', milliseconds: 1 }, { type: 'scrape' }] })
  await fixture.read('/three.pdf')
  htmlParsed.unsubscribe(count)

  expect(parsed).toEqual([])
})
