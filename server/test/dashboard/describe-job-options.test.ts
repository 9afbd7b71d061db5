import { expect, test } from 'vitest'
import { describeJobOptions } from '../../dashboard/jobs/describe-job-options.ts'

test('options of a job have names in words and values as text, with those of its scrapes', () => {
  const described = describeJobOptions({
    options: {
      urls: ['https://a.test/', 'https://b.test/'],
      maxConcurrency: 2,
      enableWebSearch: true,
      webhook: { url: 'https://hook.test/', metadata: {}, events: ['page', 'failed'] },
      scrapeOptions: {
        formats: [{ type: 'links' }, { type: 'json', prompt: 'x' }],
        onlyMainContent: false,
        maxAge: 0,
        timeout: 10_000,
      },
      delay: 0.5,
    },
  })

  expect(described).toEqual([
    ['URLs', 'https://a.test/\nhttps://b.test/'],
    ['Max concurrency', '2'],
    ['Enable web search', 'yes'],
    ['Webhook', 'https://hook.test/\npage, failed'],
    ['Delay', '0.5 s'],
    ['Formats', 'links\n{"type":"json","prompt":"x"}'],
    ['Only main content', 'no'],
    ['Max age', '0 ms'],
    ['Timeout', '10000 ms'],
  ])
})
