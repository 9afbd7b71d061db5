import { expect, test } from 'vitest'
import { cleanPage } from '../../../src/scrape/clean/clean-page.ts'
import { parsePage } from '../../../src/scrape/parse/parsed-page.ts'
import { textOf } from '../../../src/scrape/parse/dom-nodes.ts'
import { findElements } from '../../../src/scrape/parse/select-elements.ts'
import { adSelectors } from '../../../src/scrape/render/ad-rules.ts'

/** An element with content that a simple selector matches. */
function elementFor(part: string, inside: string): string {
  const name = /^\w+/.exec(part)?.[0] ?? 'div'
  const classes = [...part.matchAll(/\.([\w-]+)/g)].map(([, value]) => value)
  const id = /#([\w-]+)/.exec(part)?.[1]
  const [, attribute, value = ''] = /\[([\w-]+)(?:[~^*]?="([^"]+)")?\]/.exec(part) ?? []
  const marks = [classes.length > 0 ? ` class="${classes.join(' ')}"` : '', id === undefined ? '' : ` id="${id}"`]
  return `<${name}${marks.join('')}${attribute === undefined ? '' : ` ${attribute}="${value}"`}>${inside}</${name}>`
}

function textWith(selector: string, blockAds: boolean): string {
  const ad = selector.split(' ').reduceRight((inside, part) => elementFor(part, inside), '<p>Buy rope</p>')
  const html = `<body><main><p>Before</p>${ad}<p class="reads" id="it">After</p></main></body>`
  const page = parsePage(html, '')
  cleanPage(page, { onlyMainContent: false, blockAds })
  return textOf(page.document)
}

// Frames are omitted from every page.
const selectors = adSelectors.filter((selector) => !selector.startsWith('iframe'))

test.each(selectors)('%s is removed from a page', (selector) => {
  expect(textWith(selector, true)).toBe('BeforeAfter')
  expect(textWith(selector, false)).toBe('BeforeBuy ropeAfter')
})

test.each([
  ['//www.google-analytics.com/c.gif', false],
  ['https://www.google-analytics.com:8443/c.gif', false],
  ['https://doubleclick.net:8443/c.gif', false],
  ['https://notdoubleclick.net:8443/c.gif', true],
  ['/doubleclick.net:8443/c.gif', true],
])('a picture at %s stays: %s', (src, isKept) => {
  const html = `<body><p>Before</p><img src="${src}"><p>After</p></body>`

  const page = parsePage(html, '')
  cleanPage(page, { onlyMainContent: false, blockAds: true })

  expect(findElements(page.document, 'img')).toHaveLength(isKept ? 1 : 0)
})
