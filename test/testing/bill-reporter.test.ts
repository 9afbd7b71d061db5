import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FullConfig } from '@playwright/test/reporter'
import { expect, test, vi } from 'vitest'
import { BillReporter } from '../../src/testing/bill-reporter.ts'
import { writeSessionReport } from '../../src/testing/run-files.ts'

test('the reporter tells how many sessions have no reported credits', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'bowline-reporter-'))
  using log = vi.spyOn(console, 'log').mockReturnValue()
  const uses = [{ file: '/tests/shop.spec.ts', title: 'sells', startSeconds: 1, durationMs: 10, hasFailed: false }]
  for (const figures of [{ creditsBilled: 2 }, {}]) {
    const bill = { sessionId: 'session-1', endedBy: 'end', ...figures } as const
    writeSessionReport(folder.path, { bill, recording: undefined, uses })
  }
  const reporter = new BillReporter()

  reporter.onBegin({ rootDir: '/tests', projects: [{ outputDir: folder.path }] } as FullConfig)
  reporter.onEnd()

  expect(log.mock.calls.flat().at(-1)).toBe('  credits of 1 sessions not reported by the service, counted as 0')
})
