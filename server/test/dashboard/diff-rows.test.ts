import { expect, test } from 'vitest'
import { toDiffRows, type DiffRow } from '../../dashboard/monitors/diff-rows.ts'

function show(row: DiffRow): string {
  if (row.kind === 'gap') return '⋯'
  return [row.left, row.right]
    .map((line) => (line === undefined ? '' : `${line.number} ${line.parts[0]}[${line.parts[1]}]${line.parts[2]}`))
    .join(' | ')
}

function rowsOf(...lines: string[]): readonly string[] {
  return toDiffRows(lines.join('\n')).map(show)
}

test('a changed line is next to its replacement, with the difference marked', () => {
  const rows = rowsOf(
    '--- before',
    '+++ after',
    '@@ -3,2 +3,2 @@',
    ' # Prices',
    '-A berth: 14 guilders',
    '+A berth: 16 guilders',
  )

  expect(rows).toEqual(['3 # Prices[] | 3 # Prices[]', '4 A berth: 1[4] guilders | 4 A berth: 1[6] guilders'])
})

test('added and removed lines have no counterpart, and later line numbers follow', () => {
  const rows = rowsOf('@@ -1,3 +1,3 @@', '-one', '-two', '+uno', ' three', '+four')

  expect(rows).toEqual(['1 [one] | 1 [uno]', '2 [two] | ', '3 three[] | 2 three[]', ' | 3 [four]'])
})

test('a line that looks like a header is an ordinary line inside a hunk', () => {
  const rows = rowsOf('--- before', '+++ after', '@@ -1 +1 @@', '--- a rule', '+++ two', '@@ -9 +9 @@', ' end', '')

  expect(rows).toEqual(['1 [-- a rule] | 1 [++ two]', '⋯', '9 end[] | 9 end[]'])
})

test('a repeated part is marked once', () => {
  const rows = rowsOf('@@ -1 +1 @@', '-aa', '+aaa')

  expect(rows).toEqual(['1 aa[] | 1 aa[a]'])
})

test('a surrogate pair is not split', () => {
  expect(rowsOf('@@ -1 +1 @@', '-berth: 🟢 free', '+berth: 🔴 free')).toEqual([
    '1 berth: [🟢] free | 1 berth: [🔴] free',
  ])
})
