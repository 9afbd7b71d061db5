import { expect, test } from 'vitest'
import { convertCsv } from '../../../src/scrape/documents/csv.ts'

/** Returns the cells of the rows of a CSV, as HTML. */
function rowsOf(csv: string): readonly (readonly string[])[] {
  const { body } = convertCsv(Buffer.from(csv), undefined)
  return body
    .split('<tr>')
    .slice(1)
    .map((row) => [...row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => cell))
}

test.each([
  ['commas', 'a,b\n1,2\n', ['a', 'b'], ['1', '2']],
  ['semicolons', 'a;b\r\n1,5;2\r\n', ['a', 'b'], ['1,5', '2']],
  ['tabs', 'a\tb\n1\t2', ['a', 'b'], ['1', '2']],
  ['bars', 'a|b\n1|2', ['a', 'b'], ['1', '2']],
  ['quoted delimiters', 'a,"b,c"\n1,"2\n3"', ['a', 'b,c'], ['1', '2<br>3']],
  ['doubled quotes', 'a,"b ""c"""\n"""",""', ['a', 'b &quot;c&quot;'], ['&quot;', '']],
  ['quotes inside a plain field', 'a,b"c"\n1,2"', ['a', 'b&quot;c&quot;'], ['1', '2&quot;']],
  ['text after a closing quote', 'a,"b"c\n1,"2" 3', ['a', 'bc'], ['1', '2 3']],
  ['a quote that is not closed', 'a,b\n1,"2,3', ['a', 'b'], ['1', '2,3']],
  ['empty fields and lines', 'a,b\n\n1,\n', ['a', 'b'], ['1', '']],
])('reads a CSV with %s', (_what, csv, ...rows) => {
  expect(rowsOf(csv)).toEqual(rows)
})

test('reads a field of millions of doubled quotes', () => {
  const count = 10_000_000

  const { body } = convertCsv(Buffer.from(`a,"${'""'.repeat(count)}"`), undefined)

  expect(body.split('&quot;')).toHaveLength(count + 1)
})
