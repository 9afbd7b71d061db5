import { expect, test } from 'vitest'
import { describeNoPages, describeWarning } from '../../dashboard/jobs/job-state.ts'

test('a job without pages expects some only while it runs', () => {
  expect(describeNoPages('scraping')).toBe('No pages yet.')
  for (const status of ['completed', 'failed', 'cancelled'])
    expect(describeNoPages(status), status).toBe('No page was scraped.')
})

test('a warning names the list of errors in place of its path in the API', () => {
  const warning = '2 pages were not scraped. See GET /v2/batch/scrape/1-2/errors for the reasons. And more.'
  expect(describeWarning(warning)).toBe('2 pages were not scraped. The reasons are under “Errors”. And more.')
})
