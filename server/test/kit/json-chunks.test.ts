import { expect, test } from 'vitest'
import { isLongJson, jsonChunks, textChunks } from '../../src/kit/json-chunks.ts'

const long = 'quoted " and\n ünïcödé 🚢 '.repeat(40_000)

test.each([
  ['nothing', undefined, 'null'],
  ['a text', 'a "b"', undefined],
  ['a long text', long, undefined],
  ['empty values', { a: {}, b: [], c: '' }, undefined],
  ['values that JSON omits', { a: undefined, b: () => 1, c: [undefined, 1] }, '{"c":[null,1]}'],
  ['dates and numbers', { a: new Date(0), b: [1.5, null, true, Number.NaN] }, undefined],
  [
    'deeply nested values',
    { data: { markdown: long, links: Array.from({ length: 40_000 }, (_, index) => `/${index}`) } },
    undefined,
  ],
])('the chunks form the JSON of the value: %s', (_, value, expected) => {
  const chunks = [...jsonChunks(value)]

  expect(chunks.join('')).toBe(expected ?? JSON.stringify(value))
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(2_000_000)
})

test('a string is split between characters', () => {
  const text = `a${'🚢'.repeat(300_000)}`
  const chunks = [...textChunks(text)]

  expect(chunks.length).toBeGreaterThan(1)
  expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(true)
  expect(chunks.join('')).toBe(text)
})

test.each([
  ['a long text', { data: { rawHtml: long.repeat(2) } }, true],
  ['many short strings', { links: Array.from({ length: 300_000 }, () => '/a') }, true],
  ['a typical response', { success: true, data: { markdown: 'short', links: ['/a'] } }, false],
])('%s is long JSON: %s', (_, value, expected) => {
  expect(isLongJson(value)).toBe(expected)
})
