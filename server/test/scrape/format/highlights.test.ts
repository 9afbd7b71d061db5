import { expect, test } from 'vitest'
import { highlightPassages, splitPassages } from '../../../src/scrape/format/highlights.ts'

const page = [
  '# Harbours\n\nShips rest here.',
  '## Prices\n\nA berth costs 20 crowns a night.',
  'Boats under sail pay half of the price.',
  '## Weather\n\nRain, mostly.',
  '```\nprice = 20\n\nprint(price)\n```',
].join('\n\n')

test('passages have their heading, and code blocks stay whole', () => {
  expect(splitPassages(page)).toEqual([
    '# Harbours\n\nShips rest here.',
    '## Prices\n\nA berth costs 20 crowns a night.',
    'Boats under sail pay half of the price.',
    '## Weather\n\nRain, mostly.',
    '```\nprice = 20\n\nprint(price)\n```',
  ])
})

test.each([
  ['What does a berth cost?', '## Prices\n\nA berth costs 20 crowns a night.'],
  ['ship', '# Harbours\n\nShips rest here.'],
  ['the sails of boats', 'Boats under sail pay half of the price.'],
  ['submarines', ''],
  ['?', ''],
])('without a language model, the passages with words of the query are the highlights: %s', async (query, expected) => {
  const highlights = await highlightPassages(undefined, { markdown: page, query })

  expect(highlights.startsWith(expected)).toBe(true)
  expect(highlights === '').toBe(expected === '')
})

test('highlights are in the order of the page, and at most five', async () => {
  const paragraphs = Array.from({ length: 20 }, (_, index) => `${'berth '.repeat(index % 7)}paragraph ${index}`)

  const highlights = await highlightPassages(undefined, { markdown: paragraphs.join('\n\n'), query: 'berth' })
  const positions = highlights.split('\n\n').map((text) => paragraphs.indexOf(text))

  expect(positions).toHaveLength(5)
  expect(positions).toEqual(positions.toSorted((left, right) => left - right))
})
