import { z } from 'zod'
import { wholeNumber, type Setting } from './setting.ts'

/** Settings of batches, crawls and monitors. */
export const jobSettings = {
  maxBulkPages: {
    flag: 'max-bulk-pages',
    env: 'BOWLINE_MAX_BULK_PAGES',
    help: 'maximum number of pages of batches and crawls that are scraped at once',
    accepts: 'a whole number from 1 to 1000',
    schema: wholeNumber(1, 1000).default(16),
  },
  maxHostPages: {
    flag: 'max-host-pages',
    env: 'BOWLINE_MAX_HOST_PAGES',
    help: 'maximum number of these pages per host',
    accepts: 'a whole number from 1 to 1000',
    schema: wholeNumber(1, 1000).default(8),
  },
  hostDelay: {
    flag: 'host-delay',
    env: 'BOWLINE_HOST_DELAY',
    help: 'minimum delay between two of these pages of one host, in milliseconds',
    accepts: 'a whole number from 0 to 600000',
    schema: wholeNumber(0, 600_000).default(0),
  },
  maxMonitors: {
    flag: 'max-monitors',
    env: 'BOWLINE_MAX_MONITORS',
    help: 'maximum number of monitors per team, paused ones included; 0: none can be created',
    accepts: 'a whole number from 0 to 100000',
    schema: wholeNumber(0, 100_000).default(500),
  },
  robots: {
    flag: 'robots',
    env: 'BOWLINE_ROBOTS',
    help: 'honour: batches skip pages that robots.txt disallows; crawls always do, unless `ignoreRobotsTxt` is set',
    accepts: '"honour" or "ignore"',
    schema: z.enum(['honour', 'ignore']).default('ignore'),
  },
} as const satisfies Record<string, Setting>
