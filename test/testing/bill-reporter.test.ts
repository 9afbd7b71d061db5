import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FullConfig } from '@playwright/test/reporter'
import { expect, test, vi } from 'vitest'
import { BillReporter } from '../../src/testing/bill-reporter.ts'
import type { SessionReport } from '../../src/testing/test-session.ts'
import { RunState } from '../../src/testing/run-state.ts'

function printedFor(reports: readonly SessionReport[]): readonly string[] {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'bowline-reporter-'))
  using log = vi.spyOn(console, 'log').mockReturnValue()
  const runState = new RunState(process.pid, folder.path)
  const reporter = new BillReporter(undefined, runState)

  reporter.onBegin({ rootDir: '/tests', projects: [{}] } as FullConfig)
  for (const report of reports) runState.writeSessionReport(report)
  reporter.onEnd()

  expect(runState.readSessionReports()).toEqual([])
  return log.mock.calls.flat().map(String)
}

const bill = { sessionId: 'session-1', endedBy: 'end' } as const
const uses = [{ file: '/tests/shop.spec.ts', title: 'sells', startSeconds: 1, durationMs: 10, hasFailed: false }]

test('the reporter tells how many sessions have no reported credits', () => {
  const billed = { bill: { ...bill, creditsBilled: 2 }, recording: undefined, uses }

  const printed = printedFor([billed, { bill, recording: undefined, uses }])

  expect(printed.at(-1)).toBe('  credits of 1 session not reported by the service, counted as 0')
})

test('the rows add up to the total if a session was used by no test', () => {
  const report = { bill: { ...bill, creditsBilled: 2 }, recording: undefined }

  const printed = printedFor([
    { ...report, uses },
    { ...report, uses: [] },
  ])

  expect(printed.slice(2)).toEqual([
    '  (other)              1        2',
    '  shop.spec.ts         1        2',
    '  total                2        4',
  ])
})

test('the reporter explains why rows do not add up if files share a session', () => {
  const other = { file: '/tests/boat.spec.ts', title: 'floats', startSeconds: 1, durationMs: 10, hasFailed: false }

  const printed = printedFor([{ bill: { ...bill, creditsBilled: 3 }, recording: undefined, uses: [...uses, other] }])

  expect(printed.slice(2)).toEqual([
    '  boat.spec.ts         1      1.5',
    '  shop.spec.ts         1      1.5',
    '  total                1      3.0',
    '  A session that several files used counts in each of their rows, with a part of its credits.',
  ])
})
