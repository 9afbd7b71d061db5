import { expect, test } from 'vitest'
import type { Delivery } from '../../../src/contract/webhooks.ts'
import { countStatuses, groupDeliveries } from '../../dashboard/webhooks/group-deliveries.ts'

function delivery(
  id: string,
  jobId: string,
  status: Delivery['status'] = 'delivered',
  url = 'https://a.test/',
): Delivery {
  return { id, jobId, status, url, event: 'batch_scrape.page', attempts: [], createdAt: '2026-01-01T00:00:00Z' }
}

test('deliveries of a job to the same webhook are one group, at the place of the newest', () => {
  const groups = groupDeliveries([
    delivery('5', 'one'),
    delivery('4', 'two'),
    delivery('3', 'one', 'failed'),
    delivery('2', 'one', 'delivered', 'https://b.test/'),
    delivery('1', 'one'),
  ])

  expect(groups.map(({ id, deliveries }) => [id, deliveries.length])).toEqual([
    ['5', 3],
    ['4', 1],
    ['2', 1],
  ])
  expect(countStatuses(groups[0]?.deliveries ?? [])).toEqual([
    ['failed', 1],
    ['delivered', 2],
  ])
  expect(groupDeliveries([])).toEqual([])
})
