import { expect, test } from 'vitest'
import { toCsv } from '../../dashboard/components/csv.ts'

test('rows become CSV with the columns of the first row', () => {
  expect(
    toCsv([
      { day: '2026-01-01', credits: 2, key: 'a "b", c' },
      { day: '2026-01-02', credits: -1, key: null },
    ]),
  ).toBe('day,credits,key\r\n2026-01-01,2,"a ""b"", c"\r\n2026-01-02,-1,\r\n')
})

test.each(['=1+1', '+1', '-cmd', '@SUM(A1)', '\t=1', '\n=1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
  'the cell %j is no formula',
  (text) => {
    expect(toCsv([{ name: text }])).toContain(`'${text}`)
  },
)

test('no rows are an empty line', () => {
  expect(toCsv([])).toBe('\r\n')
})
