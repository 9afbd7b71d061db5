import { expect, test } from 'vitest'
import { describeNoPages } from '../../dashboard/jobs/job-state.ts'

test('a job without pages expects some only while it runs', () => {
  expect(describeNoPages('scraping')).toBe('No pages yet.')
  for (const status of ['completed', 'failed', 'cancelled'])
    expect(describeNoPages(status), status).toBe('No page was scraped.')
})
