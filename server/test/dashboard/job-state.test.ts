import { expect, test } from 'vitest'
import { agentStatus, countPages, describeNoPages, describeWarning } from '../../dashboard/jobs/job-state.ts'

test('a job without pages expects some only while it runs', () => {
  expect(describeNoPages('scraping')).toBe('No pages yet.')
  for (const status of ['completed', 'failed', 'cancelled'])
    expect(describeNoPages(status), status).toBe('No page was scraped.')
})

test('the pages of a job are counted with the failed ones', () => {
  expect(countPages({ completed: 20, total: 20, failed: 3 })).toEqual({ completed: 20, all: 23, failed: 3 })
  expect(countPages({ total: 5 })).toEqual({ completed: 0, all: 5, failed: 0 })
  expect(countPages({})).toBeUndefined()
})

test('a cancelled agent has the status of other cancelled jobs', () => {
  expect(agentStatus({ status: 'failed', stopReason: 'cancelled' })).toBe('cancelled')
  expect(agentStatus({ status: 'failed', stopReason: 'credit_limit_reached' })).toBe('failed')
  expect(agentStatus({ status: 'processing' })).toBe('processing')
})

test('a warning names the list of errors in place of its path in the API', () => {
  const warning = '2 pages were not scraped. See GET /v2/batch/scrape/1-2/errors for the reasons. And more.'
  expect(describeWarning(warning)).toBe('2 pages were not scraped. The reasons are under “Errors”. And more.')
})
