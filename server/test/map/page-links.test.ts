import { expect, test } from 'vitest'
import { readPageLinks, type PageLinks } from '../../src/map/page-links.ts'

async function read(html: string, size = 16_384): Promise<PageLinks> {
  async function* pieces(): AsyncGenerator<string> {
    for (let start = 0; start < html.length; start += size) yield html.slice(start, start + size)
  }
  return readPageLinks(pieces(), new URL('https://a.example/dir/page'))
}

test('the links of a page have their texts, and the page has its title and description', async () => {
  const page = await read(
    `<title> A  page </title><meta name="description" content="About it"><a href="/x">To <b>the</b> x</a>
     <map><area href="y"></map><a href="#here">here</a><a name="z">no link</a><svg><title>icon</title></svg>`,
    5,
  )

  expect(page).toMatchObject({ title: 'A page', description: 'About it' })
  expect(page.links).toEqual([
    { url: 'https://a.example/x', text: 'To the x' },
    { url: 'https://a.example/dir/y', text: '' },
  ])
})

test('links are resolved against the base of the page', async () => {
  expect((await read('<base href="/other/"><a href="x">x</a>')).links).toMatchObject([
    { url: 'https://a.example/other/x' },
  ])
})

test('the sitemaps, feeds and alternate pages of a page are found', async () => {
  const page = await read(
    `<link rel="sitemap" href="/map.xml"><link rel="alternate" type="application/rss+xml" href="/feed">
     <link rel="next" href="?page=2"><link rel="stylesheet" href="/x.css">`,
  )

  expect(page.sitemaps).toEqual(['https://a.example/map.xml'])
  expect(page.feeds).toEqual(['https://a.example/feed'])
  expect(page.links.map(({ url }) => url)).toEqual(['https://a.example/dir/page?page=2'])
})

test.each([
  ['deep nesting', '<div>'.repeat(500_000)],
  ['elements that close none of those open', '<div>'.repeat(300_000) + '</b>'.repeat(300_000)],
  ['a million line breaks', '<br>'.repeat(1_000_000)],
  ['one endless attribute', `<p title="${'x'.repeat(4_000_000)}">`],
  ['tags that never end', '<a href='.repeat(500_000)],
  ['a comment that never ends', `<!--${'-'.repeat(4_000_000)}`],
])('%s takes little time and loses no links before it', async (_what, trouble) => {
  const before = process.cpuUsage()

  const page = await read(`<a href="/first">first</a>${trouble}`)
  const { user, system } = process.cpuUsage(before)

  expect(page.links[0]).toEqual({ url: 'https://a.example/first', text: 'first' })
  expect((user + system) / 1e6).toBeLessThan(5)
})

test('links after deep nesting are found', async () => {
  expect((await read(`${'<div>'.repeat(100_000)}<a href="/last">last</a>`)).links).toMatchObject([
    { url: 'https://a.example/last' },
  ])
})

test('lets other work run while it reads a large page', async () => {
  const pieces = Array.from({ length: 100 }, () => '<svg>'.repeat(3000))
  let turns = 0
  let isReading = true
  const count = (): void => {
    turns += 1
    if (isReading) setImmediate(count)
  }
  setImmediate(count)

  await readPageLinks(pieces, new URL('https://a.example/'))

  isReading = false
  expect(turns).toBeGreaterThan(10)
})
