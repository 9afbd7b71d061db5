import { describe, expect, test } from 'vitest'
import { insertFrames } from '../../src/scrape/render/serialize-page.ts'
import { plainText } from '../../src/search/plain-text.ts'
import { makeHtmlFormats } from '../../src/scrape/format/make-html-formats.ts'
import { parsePage } from '../../src/scrape/parse/parsed-page.ts'

const formats = ['markdown', 'html', 'links', 'images'] as const
const url = 'https://site.example/'

const attacks: Readonly<Record<string, () => string>> = {
  '100,000 nested elements': () => `${'<div>'.repeat(100_000)}deep`,
  '100,000 nested elements, all closed': () => `${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}`,
  '2,000 nested lists': () => '<ul><li>deep'.repeat(2000),
  '10,000 nested quotes': () => `${'<blockquote>'.repeat(10_000)}deep`,
  '5,000 nested tables': () => `${'<table><tr><td>'.repeat(5000)}deep`,
  '100,000 nested styles': () => `${'<b><i>'.repeat(50_000)}deep`,
  '8,000 open links': () => '<a href=/x>deep '.repeat(8000),
  '6,000 open paragraphs with open styles': () => '<p><b>deep '.repeat(6000),
  '500,000 ends without a start': () => `${'<p>deep'.repeat(1000)}${'</b></div></li>'.repeat(170_000)}`,
  '4 MB of paragraphs': () => `<p>deep ${'lorem ipsum dolor sit amet '.repeat(20)}</p>`.repeat(7200),
  '4 MB of one text': () => `<p>deep ${'lorem ipsum '.repeat(340_000)}</p>`,
  '200,000 breaks': () => `deep${'<br>'.repeat(200_000)}`,
  'a cell over a billion columns': () =>
    '<table><tr><td colspan=1000000000>deep<td rowspan=1000000000>b<tr><td>c</table>',
  '2,000 rows of wide cells': () => `<table>${'<tr><td colspan=1000 rowspan=1000>deep<td>b'.repeat(2000)}</table>`,
  '1 MB of opening brackets': () => `deep${'<'.repeat(1_000_000)}`,
  '1 MB of brackets and stars': () => `<p>deep${'[*_`'.repeat(250_000)}</p>`,
  '1 MB of ampersands': () => `deep${'&'.repeat(1_000_000)}`,
  'an attribute of 4 MB': () => `<p class="${'x '.repeat(2_000_000)}" title="${'y'.repeat(1000)}">deep</p>`,
  '100,000 attributes': () => `<p ${Array.from({ length: 100_000 }, (_, index) => `a${index}=1`).join(' ')}>deep</p>`,
  '50,000 bodies with an attribute each': () =>
    `deep${Array.from({ length: 50_000 }, (_, index) => `<body a${index}>`).join('')}`,
  'a million bodies after one with many attributes': () =>
    `<body ${Array.from({ length: 256 }, (_, index) => `a${index}`).join(' ')}>deep${'<body>'.repeat(1_000_000)}`,
  'a source set of 1 MB': () => `deep<img srcset="${'a 1w, '.repeat(160_000)}">`,
  'a style of 1 MB': () => `<p style="${'background:url( '.repeat(60_000)}">deep</p>`,
  'an open comment of 5 MB': () => `deep<!--${'- '.repeat(2_500_000)}`,
  'an open script of 5 MB': () => `deep<script>${'</scrip '.repeat(600_000)}`,
  '8,000 list items': () => `<ul>${'<li>deep'.repeat(8000)}</ul>`,
  '5,000 headings': () => '<h2>deep <a href=#x>a</a></h2>'.repeat(5000),
  'an element named like a property of Object': () => '<p>deep <constructor>inside</constructor>',
  'spaces without a digit at the end': () => `<p>deep ${' '.repeat(500_000)}x${'\n'.repeat(500_000)}y</p>`,
}

describe('a hostile page is parsed in bounded time', { timeout: 240_000 }, () => {
  test.each(Object.entries(attacks))('%s', (_title, make) => {
    const html = make()
    const before = process.cpuUsage()

    const whole = makeHtmlFormats(parsePage(html, url), formats, { onlyMainContent: false })
    const main = makeHtmlFormats(parsePage(html, url), formats)

    expect(whole.markdown).toContain('deep')
    expect(main.markdown).toBeDefined()
    // CPU time, which does not depend on other load of the machine.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5)
  })
})

test('words of nearly empty lines are found in bounded time', () => {
  const before = process.cpuUsage()

  expect(plainText(`one\n${' '.repeat(2000)}two\n| --- | :-: |\nthree`)).toBe('one two three')
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
})

test('frames are inserted in bounded time', () => {
  const before = process.cpuUsage()

  expect(insertFrames('<iframe '.repeat(100_000), new Map())).toContain('iframe')
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
})

test('a frame is inserted once, even if its placeholder is copied', () => {
  const copies = '<iframe src="/a" data-bowline-frame="A1"></iframe>'.repeat(20)
  const shown = '<div data-frame>deep<div data-frame></div>'

  expect(insertFrames(copies, new Map([['A1', `deep${copies}`]]))).toMatch(new RegExp(`^${shown}`))
  expect(insertFrames(copies, new Map([['A1', `deep${copies}`]])).split('deep')).toHaveLength(2)
})

test('a hostile page is parsed in bounded memory', () => {
  const html = '<b>x<br>'.repeat(800_000)
  const before = process.memoryUsage().rss

  makeHtmlFormats(parsePage(html, url), ['markdown'])

  expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(700)
})

test('text beyond the maximum depth is kept, but flattened', () => {
  const page = parsePage(`${'<div>'.repeat(1000)}<p>one</p><p>two</p>`, url)
  const { markdown } = makeHtmlFormats(page, ['markdown'], { onlyMainContent: false })

  expect(markdown?.split(/\s+/).filter(Boolean)).toEqual(['onetwo'])
})
