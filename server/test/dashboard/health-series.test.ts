import { expect, test } from 'vitest'
import { nameOf, summarize, toSeries } from '../../dashboard/health/health-series.ts'

const point = {
  maxSessions: 8,
  waiting: 0,
  memoryUsed: 0.5,
  cpuUsed: 0.25,
  queueWaitSeconds: 0,
  requests: 1,
  errors: 0,
}
const at = (minute: number, sessions: number) => ({ ...point, sessions, at: `2026-01-01T10:0${minute}:00.000Z` })

test('the history of servers becomes a line for each, with gaps where they did not run', () => {
  const data = [
    {
      id: '01a200b8-7181-7000-8000-000000000000',
      url: 'http://10.0.0.1:3900',
      isAlive: true,
      points: [at(0, 3), at(3, 1)],
    },
    { id: '01a200b8-7182-7000-8000-000000000000', isAlive: false, points: [at(1, 5)] },
  ]

  const series = toSeries({ success: true, stepSeconds: 60, data }, ({ sessions }) => sessions)

  const start = Date.parse('2026-01-01T10:00:00Z') / 1000
  expect(series).toEqual({
    times: [0, 60, 120, 180].map((seconds) => start + seconds),
    lines: [
      { name: '10.0.0.1:3900', values: [3, null, null, 1] },
      { name: '01a200b8-7182…', values: [null, 5, null, null] },
    ],
  })
  expect(summarize(series)).toEqual({ last: 1, most: 5 })
})

test('a history without samples has no points', () => {
  const series = toSeries({ success: true, stepSeconds: 60, data: [] }, ({ sessions }) => sessions)

  expect(series).toEqual({ times: [], lines: [] })
  expect(summarize(series)).toBeUndefined()
  expect(nameOf({ id: '01a200b8-7181-7000-8000-000000000000', url: 'no url' })).toBe('01a200b8-7181…')
})
