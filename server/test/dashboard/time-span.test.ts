import { expect, test } from 'vitest'
import { dayOf, readDays, spanOf, utcDaysOf } from '../../dashboard/components/time-span.ts'

test.each([
  ['the whole list', '', {}],
  ['an unknown name', 'Last century', {}],
  ['days that do not exist', '2026-13-01..2026-13-02', {}],
  [
    'two days, from the first midnight to the one after the last',
    '2026-11-01..2026-11-02',
    { from: new Date(2026, 10, 1).toISOString(), to: new Date(2026, 10, 3).toISOString() },
  ],
  [
    'two days in the wrong order',
    '2026-11-02..2026-11-01',
    { from: new Date(2026, 10, 1).toISOString(), to: new Date(2026, 10, 3).toISOString() },
  ],
])('the span of %s', (_, range, span) => {
  expect(spanOf(range)).toEqual(span)
})

test('a named range starts that long before now and has no end', () => {
  const { from, to } = spanOf('Last 24 hours')

  expect(Date.now() - Date.parse(from ?? '')).toBeGreaterThanOrEqual(86_400_000)
  expect(to).toBeUndefined()
  expect(readDays('Last 24 hours')).toBeUndefined()
})

test.each([
  ['', undefined],
  ['Last 7 days', { first: '2026-10-26', last: '2026-11-01' }],
  ['2026-11-02..2026-11-01', { first: '2026-11-01', last: '2026-11-02' }],
])('the UTC days of the range "%s", with today', (range, days) => {
  expect(utcDaysOf(range, Date.UTC(2026, 10, 1, 23, 59))).toEqual(days)
})

test('the day of a time is local', () => {
  expect(dayOf(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05')
})
