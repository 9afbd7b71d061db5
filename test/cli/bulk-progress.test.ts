import { expect, test } from 'vitest'
import { describeProgress } from '../../src/cli/bulk-progress.ts'

test.each([
  [{ completed: 0, total: 0 }, { elapsedMs: 0, pages: 0 }, `${'-'.repeat(40)} 0 of 0 pages · 7 credits · ?`],
  [
    { completed: 10, total: 40 },
    { elapsedMs: 30_000, pages: 10 },
    `${'='.repeat(10)}${'-'.repeat(30)} 10 of 40 pages · 7 credits · 1m30s`,
  ],
  [
    { completed: 10, total: 20, failed: 3 },
    { elapsedMs: 30_000, pages: 10 },
    `${'='.repeat(20)}${'-'.repeat(20)} 10 of 23 pages · 3 failed · 7 credits · 30s`,
  ],
  // A job that was resumed: its speed is that of the pages seen here.
  [
    { completed: 30, total: 40 },
    { elapsedMs: 1000, pages: 2 },
    `${'='.repeat(30)}${'-'.repeat(10)} 30 of 40 pages · 7 credits · 5s`,
  ],
  [
    { completed: 1, total: 5000 },
    { elapsedMs: 2000, pages: 1 },
    `${'-'.repeat(40)} 1 of 5000 pages · 7 credits · 2h46m`,
  ],
  [{ completed: 41, total: 40 }, { elapsedMs: 10, pages: 41 }, `${'='.repeat(40)} 41 of 40 pages · 7 credits · 0s`],
])('progress %j after %j is shown as a bar, counts and the time left', (progress, passed, line) => {
  expect(describeProgress({ ...progress, creditsUsed: 7 }, passed)).toBe(line)
})
