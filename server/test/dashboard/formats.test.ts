import { expect, test } from 'vitest'
import { format } from '../../../src/contract/formats.ts'
import {
  enterFormats,
  formatTitles,
  readAttributes,
  readFormats,
  resultOf,
  type FormatName,
} from '../../dashboard/playground/formats.ts'

const names = Object.keys(formatTitles) as FormatName[]

test.each(names)('the API accepts the format %s as the form reads it', (name) => {
  const entered = { ...enterFormats([name]), attributes: 'a.next href', question: 'Why?', highlights: 'prices' }

  const [read] = readFormats(entered)

  expect(format.parse(read).type).toBe(name)
})

test('the options of formats are read from their inputs', () => {
  const entered = {
    ...enterFormats(['screenshot', 'json', 'attributes']),
    isFullPage: true,
    prompt: ' the prices ',
    schema: '{ "type": "object" }',
    attributes: 'a.next href\n\n ul > li data-id ',
  }

  expect(readFormats(entered)).toEqual([
    'screenshot@fullPage',
    { type: 'json', prompt: 'the prices', schema: { type: 'object' } },
    {
      type: 'attributes',
      selectors: [
        { selector: 'a.next', attribute: 'href' },
        { selector: 'ul > li', attribute: 'data-id' },
      ],
    },
  ])
  expect(readFormats(enterFormats(['json']))).toEqual(['json'])
})

test('a line without an attribute is recognized', () => {
  expect(readAttributes('a.next')).toEqual([{ selector: 'a.next', attribute: '' }])
})

test('code prints the Markdown, else the only format, else the document', () => {
  expect(resultOf(['links', 'markdown'])).toBe('document.markdown')
  expect(resultOf(['product'])).toBe('document.product')
  expect(resultOf(['question'])).toBe('document.answer')
  expect(resultOf(['links', 'images'])).toBe('document')
})
