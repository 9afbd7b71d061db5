import { describe, expect, test } from 'vitest'
import { cleanPage, type CleanOptions } from '../../../src/scrape/clean/clean-page.ts'
import { treeToMarkdown } from '../../../src/scrape/format/markdown/to-markdown.ts'
import { makeHtmlFormats } from '../../../src/scrape/format/make-html-formats.ts'
import { parsePage } from '../../../src/scrape/parse/parsed-page.ts'
import { articlePage, forumPage } from './sample-pages.ts'

const url = 'https://site.example/a/page'

function read(html: string, options: CleanOptions = {}): string {
  const page = parsePage(html, url)
  cleanPage(page, options)
  return treeToMarkdown(page)
}

describe('only the main content', () => {
  test('of an article keeps its text, headings and pictures', () => {
    const markdown = read(articlePage)

    for (const topic of ['meanders', 'erosion', 'oxbow lakes', 'sediment', 'floods'])
      expect(markdown).toContain(`about ${topic} `)
    expect(markdown).toMatch(/^# How rivers bend$/m)
    expect(markdown).toContain('## Oxbow lakes')
    expect(markdown).toContain('![A bend](https://site.example/bend.jpg)')
  })

  test('of an article excludes menu, sidebar, footer and banners', () => {
    const markdown = read(articlePage)

    for (const rest of ['Shop', 'Subscribe', 'popular thing', 'All rights reserved', 'cookies', 'Search']) {
      expect(markdown).not.toContain(rest)
    }
  })

  const delivery =
    'It is in stock and ships within two to three working days to any harbour of the country, free of charge.'
  const returns =
    'You can return it within thirty days, unused and in its box, and receive the whole price and the postage back.'
  const answer = `<p>${delivery}</p><p>${returns}</p><p>Ask the harbour office for all other questions, by telephone or in person.</p>`

  test.each([
    [
      'cells of a table',
      `<table><tr><th>Boat<th>Delivery<tr><td>Red<td class="a">${delivery}<tr><td>Blue<td class="b">${delivery}</table>`,
    ],
    [
      'answers',
      `<h2>Red boats</h2><div class="answer">${answer}</div><h2>Blue boats</h2><div class="answer">${answer}</div>`,
    ],
    ['items of lists', `<h2>Red</h2><ul><li>${delivery}</ul><h2>Blue</h2><ul class="last"><li>${delivery}</ul>`],
    ['code', `<p>First run</p><pre>${delivery}</pre><p>and then again</p><pre class="again">${delivery}</pre>`],
    [
      'paragraphs',
      `<p>${delivery}</p><p>A refrain may stand between them, or a verse of the song.</p><p class="refrain">${delivery}</p>`,
    ],
  ])('keeps %s that occur twice', (_, content) => {
    const markdown = read(`<title>Boats</title><body><main><article><h1>Boats</h1>${content}</article></main>`)

    expect(markdown.split(delivery)).toHaveLength(3)
  })

  test.each([
    ['a copy for phones', `<div class="desktop">${answer}</div><div class="phone">${answer}</div>`],
    ['a quote from the text', `${answer}<blockquote class="pull">${delivery}</blockquote>`],
  ])('excludes %s', (_, content) => {
    const markdown = read(`<title>Boats</title><body><main><article><h1>Boats</h1>${content}</article></main>`)

    expect(markdown.split(delivery)).toHaveLength(2)
  })

  test('of a thread keeps every post', () => {
    const markdown = read(forumPage)

    for (const name of ['ada', 'ben', 'cleo', 'dan', 'eve']) expect(markdown).toContain(`flour by ${name}`)
    expect(markdown).not.toContain('All rights reserved')
  })

  test('of a page of one sentence is that sentence', () => {
    expect(read('<p>Hello, world.</p>')).toBe('Hello, world.\n')
  })

  test('of a page that is empty without scripts is its description', () => {
    const html = '<head><meta name="description" content="A shop for chairs."></head><body><div id="app"></div></body>'

    expect(read(html)).toBe('A shop for chairs.\n')
  })

  test('of an empty page is empty', () => {
    expect(read('')).toBe('')
  })

  test('is not selected with `onlyMainContent: false`', () => {
    const markdown = read(articlePage, { onlyMainContent: false })

    for (const part of ['meanders', 'Shop', 'Subscribe', 'All rights reserved', 'cookies'])
      expect(markdown).toContain(part)
  })

  test('is never more with `onlyCleanContent`', () => {
    const wordCount = (options: CleanOptions): number => read(articlePage, options).split(/\s+/).length

    expect(wordCount({ onlyCleanContent: true })).toBeLessThanOrEqual(wordCount({}))
    expect(read(articlePage, { onlyCleanContent: true })).toContain('meanders')
  })

  test('has comments or not with `includeComments`', () => {
    const comment = 'I walked along this very bend last summer and the bank had moved by a metre.'
    const html = articlePage.replace(
      '</article>',
      `</article><section id="comments"><h3>One comment</h3><div class="comment"><p>${comment}</p></div></section>`,
    )

    expect(read(html, { includeComments: true })).toContain(comment)
    expect(read(html, { includeComments: false })).not.toContain(comment)
    for (const includeComments of [true, false]) expect(read(html, { includeComments })).toContain('about oxbow lakes ')
  })

  test('has the comments of a page that has nothing else', () => {
    const html = '<body><div class="comments"><p>The first answer of all.</p></div></body>'

    expect(read(html, { includeComments: false })).toBe('The first answer of all.\n')
  })

  test('keeps an article inside an element that is named after its comments', () => {
    const html = articlePage
      .replace('<article', '<div class="has-comments"><article')
      .replace('</article>', '</article></div>')

    expect(read(html, { includeComments: false })).toContain('about meanders ')
  })

  test('of an error page or of a lone consent banner is its text', () => {
    const error = '<body><nav><a href="/">Home</a></nav><h1>404</h1><p>This page is gone.</p></body>'
    const consent = '<body><div id="onetrust-banner-sdk"><p>We use cookies to measure visits.</p></div></body>'

    expect(read(error)).toContain('This page is gone.')
    expect(read(consent, { blockAds: true })).toContain('We use cookies to measure visits.')
  })

  test('keeps a collapsed answer, but no hidden hint', () => {
    const answer =
      'Rivers bend because the water on the outside runs faster and takes the bank with it, while the inside silts up, year after year, until the bend cuts itself off.'
    const html = articlePage.replace(
      '</article>',
      `<h3>Why?</h3><div style="display:none"><p>${answer}</p></div><div hidden>Copied to clipboard</div></article>`,
    )

    const markdown = read(html)

    expect(markdown).toContain('until the bend cuts itself off')
    expect(markdown).not.toContain('Copied')
  })
})

describe('selected elements', () => {
  const html =
    '<body><h1 id="t">T</h1><div class="a"><p>one</p><p class="x">two</p></div><p class="x">three</p><footer>end</footer></body>'

  test('are the only content, in the order of the page', () => {
    expect(read(html, { includeTags: ['.x', '#t'] })).toBe('# T\n\ntwo\n\nthree\n')
  })

  test('can be excluded', () => {
    expect(read(html, { onlyMainContent: false, excludeTags: ['footer', 'p.x'] })).toBe('# T\n\none\n')
  })

  test('can be excluded from the included ones', () => {
    expect(read(html, { includeTags: ['.a'], excludeTags: ['.x'] })).toBe('one\n')
  })

  test('are matched by a part of their class', () => {
    expect(read('<p class="promo-box-2">a</p><p>b</p>', { onlyMainContent: false, excludeTags: ['*promo*'] })).toBe(
      'b\n',
    )
  })

  test('are matched by modern selectors', () => {
    expect(read(html, { includeTags: [':is(div, section):has(> .x)'] })).toBe('one\n\ntwo\n')
  })

  test.each(['a[', '::nothing-like-this', 'p:no-such-thing'])('are rejected if `%s` is not a selector', (selector) => {
    expect(() => read(html, { includeTags: [selector] })).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', status: 400 }),
    )
  })
})

describe('a page as cleaned HTML', () => {
  const html = (source: string): string | undefined =>
    makeHtmlFormats(parsePage(source, url), ['html'], { onlyMainContent: false }).html

  test('has absolute URLs and no scripts, styles or handlers', () => {
    expect(html('<a href="b" onclick="f()">x</a><script>1</script><style>p{}</style><img data-src="/i.png">')).toBe(
      '<a href="https://site.example/a/b">x</a><img src="https://site.example/i.png">',
    )
  })

  test('has no links that run scripts', () => {
    expect(html('<a href="java\tscript:f()">x</a>')).toBe('<a>x</a>')
  })

  test('has the text after a CDATA section that HTML does not know', () => {
    expect(read('<body><![CDATA[ <p>Before the end.</p> ]]><p>After it.</p>')).toContain('After it.')
    expect(read('<body><![CDATA[<p class="x"><p>Without an end.</p>')).toBe('Without an end.\n')
  })

  test('keeps escaped characters escaped', () => {
    expect(html('<p>&lt;script&gt; &amp; <b title="&quot;">x</b></p>')).toBe(
      '<p>&lt;script&gt; &amp; <b title="&quot;">x</b></p>',
    )
  })

  test('keeps inline image data on request', () => {
    const source = '<img src="data:image/png;base64,AAAA">'

    expect(
      makeHtmlFormats(parsePage(source, url), ['html'], { onlyMainContent: false, removeBase64Images: false }).html,
    ).toBe(source)
  })
})
