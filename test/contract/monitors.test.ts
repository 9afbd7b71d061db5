import { expect, test } from 'vitest'
import { createMonitorRequest } from '../../src/contract/monitors.ts'

test('an incomplete format of a monitor is counted from the first one in the request', () => {
  const { error } = createMonitorRequest.safeParse({
    name: 'Prices',
    schedule: { cron: '0 * * * *' },
    targets: [{ type: 'scrape', urls: ['https://a.example'], scrapeOptions: { formats: [{ type: 'question' }] } }],
  })

  expect(error?.issues.map(({ path }) => path)).toContainEqual([
    'targets',
    0,
    'scrapeOptions',
    'formats',
    0,
    'question',
  ])
})
