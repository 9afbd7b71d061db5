import { describe, expect, test } from 'vitest'
import { schedule } from '../../../src/contract.ts'
import { diffJson } from '../../src/monitors/json-diff.ts'
import { nextRun, runsPerMonth } from '../../src/monitors/next-run.ts'

test.each([
  ['every 30 minutes', '*/30 * * * *'],
  ['Every  5 minutes', '*/5 * * * *'],
  ['every 60 minutes', '0 * * * *'],
  ['hourly', '0 * * * *'],
  ['hourly at :15', '15 * * * *'],
  ['every 6 hours', '0 */6 * * *'],
  ['every 24 hours', '0 0 * * *'],
  ['daily', '0 0 * * *'],
  ['daily at 9:00', '0 9 * * *'],
  ['daily at 9:30 am', '30 9 * * *'],
  ['daily at 12:00 am', '0 0 * * *'],
  ['daily at 12 pm', '0 12 * * *'],
  ['daily at 9 pm', '0 21 * * *'],
  ['weekly', '0 0 * * 1'],
  ['weekly on sunday at 18:30', '30 18 * * 0'],
  ['every monday at 8:00', '0 8 * * 1'],
  ['mondays and thursdays at 8 pm', '0 20 * * 1,4'],
  ['every tuesday, friday', '0 0 * * 2,5'],
  ['weekdays at 9:00', '0 9 * * 1-5'],
  ['every weekday', '0 0 * * 1-5'],
  ['weekends at 10:30', '30 10 * * 0,6'],
  ['monthly', '0 0 1 * *'],
  ['monthly on the 15th at 6 am', '0 6 15 * *'],
])('"%s" means %s', (text, cron) => {
  expect(schedule.parse({ text })).toEqual({ cron, timezone: 'UTC', text: text.trim() })
})

test.each([
  ['0 9 * * MON', '0 9 * * 1'],
  ['0  9 * jan,DEC mon-FRI', '0 9 * 1,12 1-5'],
  ['0 9 * * SUN,fri-Sun', '0 9 * * 0,5-7'],
])('the cron expression %s is stored as %s', (cron, stored) => {
  expect(schedule.parse({ cron }).cron).toBe(stored)
})

test.each([
  [{ text: 'every 7 minutes' }, '7 minutes do not divide an hour'],
  [{ text: 'every 5 hours' }, '5 hours do not divide a day'],
  [{ text: 'every minute' }, 'Monitor schedule must not run more often than every 5 minutes'],
  [{ text: 'daily at 25:00' }, '"25" is not a valid hour of a cron expression. It must be from 0 to 23'],
  [{ text: 'now and then' }, '"now and then" is not a valid schedule'],
  [{ cron: '*/4 * * * *' }, 'Monitor schedule must not run more often than every 5 minutes'],
  [{ cron: '58,2 * * * *' }, 'Monitor schedule must not run more often than every 5 minutes'],
  [
    { cron: '0 9 * * MOO' },
    '"MOO" is not a valid day of week of a cron expression. Use numbers, three-letter names, *, lists, ranges and steps',
  ],
  [{ cron: '0 MON * * *' }, '"MON" is not a valid hour of a cron expression. Use numbers, *, lists'],
  [{ text: 'every 2 days' }, 'Intervals of 2 days, weeks or months are not supported'],
  [{ text: 'monthly on the 32nd' }, '"32" is not a valid day of month'],
  [{ cron: '0 9 L * *' }, '"L" is not a valid day of month'],
  [{ cron: '0 0 9 * * *' }, 'A cron expression must have five fields'],
  [{ cron: '60 * * * *' }, '"60" is not a valid minute of a cron expression. It must be from 0 to 59'],
  [{ cron: '5/10 * * * *' }, 'a step must follow * or a range'],
  [{ cron: '0 9 * * *', text: 'daily' }, 'A schedule must have either `cron` or `text`'],
  [{}, 'A schedule must have either `cron` or `text`'],
  [{ text: 'daily', timezone: 'Europe/Atlantis' }, '"Europe/Atlantis" is not an IANA time zone'],
  [{ text: 'daily', timezone: '+02:00' }, '"+02:00" is not an IANA time zone'],
])('%j is rejected', (input, message) => {
  expect(schedule.safeParse(input).error?.issues[0]?.message).toContain(message)
})

describe('runs', () => {
  const runs = (cron: string, timezone: string, from: string, count: number): readonly string[] => {
    const found: string[] = []
    for (let after = new Date(from); found.length < count; after = new Date(found.at(-1)!)) {
      found.push(nextRun({ cron, timezone }, after)!.toISOString())
    }
    return found.map((time) => time.slice(0, 16))
  }

  test.each([
    ['keep their hour of the day', '0 9 * * *', '2026-03-28T00:00Z', ['2026-03-28T08:00', '2026-03-29T07:00']],
    [
      'that the clocks skip are an hour later',
      '30 2 * * *',
      '2026-03-29T00:00Z',
      ['2026-03-29T01:30', '2026-03-30T00:30'],
    ],
    ['that the clocks repeat happen once', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      'at one of several hours that the clocks skip are an hour later',
      '30 2,14 * * *',
      '2026-03-28T14:00Z',
      ['2026-03-29T01:30', '2026-03-29T12:30', '2026-03-30T00:30'],
    ],
    [
      'at several minutes that the clocks skip are an hour later',
      '15,45 2 * * *',
      '2026-03-28T14:00Z',
      ['2026-03-29T01:15', '2026-03-29T01:45', '2026-03-30T00:15'],
    ],
    [
      'that the clocks move to another run happen once',
      '0 2,3 * * *',
      '2026-03-28T14:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00'],
    ],
    [
      'at hours of which the clocks repeat one happen once',
      '30 2-3 * * *',
      '2026-10-24T14:00Z',
      ['2026-10-25T00:30', '2026-10-25T02:30', '2026-10-26T01:30'],
    ],
    [
      'in steps continue evenly',
      '*/30 * * * *',
      '2026-10-25T00:10Z',
      ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
    ],
  ])('%s, across daylight saving', (_what, cron, from, expected) => {
    expect(runs(cron, 'Europe/Berlin', from, expected.length)).toEqual(expected)
  })

  test('are an hour later where the clocks skip the last hour of a day', () => {
    const expected = ['2027-03-27T01:59', '2027-03-28T01:59', '2027-03-29T00:59']

    expect(runs('59 23 * * *', 'America/Nuuk', '2027-03-26T12:00Z', 3)).toEqual(expected)
  })

  test.each([
    ['*/30 * * * *', 1440],
    ['0 * * * *', 720],
    ['0 9 * * *', 30],
    ['0 0 * * 1', 5],
    ['0 0 1 * *', 1],
    ['0 0 30 2 *', 0],
  ])('of %s happen %i times a month', (cron, count) => {
    expect(runsPerMonth({ cron })).toBe(count)
  })
})

test.each([
  [
    { plans: [{ price: 1 }, { price: 2 }] },
    { plans: [{ price: 1 }, { price: 3 }] },
    { 'plans[1].price': { previous: 2, current: 3 } },
  ],
  [{ a: 1 }, { a: 1, b: { c: 'x' } }, { 'b.c': { previous: null, current: 'x' } }],
  [
    { list: ['x'] },
    { list: [] },
    { 'list[0]': { previous: 'x', current: null }, list: { previous: null, current: [] } },
  ],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, {}],
  ['x', 'y', { $: { previous: 'x', current: 'y' } }],
])('%j and %j differ in their fields', (before, after, expected) => {
  expect(diffJson(before, after)).toEqual(expected)
})
