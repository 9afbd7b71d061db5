import { expect, test } from 'vitest'
import { orderByRelevance } from '../../src/map/relevance.ts'

const links = [
  { url: 'https://a.example/' },
  { url: 'https://a.example/docs/install' },
  { url: 'https://a.example/docs/pricing-history' },
  { url: 'https://a.example/pricing' },
  { url: 'https://a.example/p/17', title: 'What our pricing means' },
  { url: 'https://a.example/p/18', text: 'More on pricing' },
  { url: 'https://a.example/contact' },
]

async function ordered(query: string): Promise<readonly string[]> {
  return (await orderByRelevance(links, query)).map(({ url }) => url.replace('https://a.example', ''))
}

test('pages with the words come first, and those without keep their order', async () => {
  const paths = await ordered('Pricing')

  expect(paths[0]).toBe('/pricing')
  expect(paths.slice(1, 4).toSorted()).toEqual(['/docs/pricing-history', '/p/17', '/p/18'])
  expect(paths.slice(4)).toEqual(['/', '/docs/install', '/contact'])
})

test('pages with all the words come before pages with one', async () => {
  expect((await ordered('pricing history'))[0]).toBe('/docs/pricing-history')
})

test('inflections of a word rank close to it', async () => {
  expect((await ordered('installation'))[0]).toBe('/docs/install')
})

test('inflections of a word match each other', async () => {
  expect((await ordered('prices'))[0]).toBe('/pricing')
})

test('a query without words changes nothing', async () => {
  expect(await orderByRelevance(links, ' ?! ')).toEqual(links)
})

test('thirty thousand links are sorted in a few seconds without blocking other work', async () => {
  const many = Array.from({ length: 30_000 }, (_, index) => ({
    url: `https://a.example/shop/item-${index}/red-shoes`,
  }))
  const startedMs = performance.now()
  let turns = 0
  const others = setInterval(() => (turns += 1), 1)

  const [first] = await orderByRelevance(many, 'item 27777')
  clearInterval(others)

  expect(turns).toBeGreaterThan(3)
  expect(first?.url).toContain('item-27777/')
  expect(performance.now() - startedMs).toBeLessThan(5000)
})
