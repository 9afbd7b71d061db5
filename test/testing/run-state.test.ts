import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RunState } from '../../src/testing/run-state.ts'

function reportOf(sessionId: string) {
  return { bill: { sessionId, endedBy: 'end' }, recording: undefined, uses: [] } as const
}

/** Returns the ID of a process that has ended. */
function endedPid(): number {
  return Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }))
}

test('runs at the same time have their own reports, failures and warnings', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'bowline-runs-'))
  const one = new RunState(process.pid, folder.path)
  const other = new RunState(process.ppid, folder.path)

  one.writeSessionReport(reportOf('session-1'))
  other.writeSessionReport(reportOf('session-2'))
  one.addFailureCause('test-1', 'test')

  const ids = [one, other].map((run) => run.readSessionReports().map(({ bill }) => bill.sessionId))
  expect(ids).toEqual([['session-1'], ['session-2']])
  expect([one, other].map((run) => run.readFailureCauses('test-1'))).toEqual([['test'], []])
  expect([one, other, one].map((run) => run.claim('video'))).toEqual([true, true, false])
})

test('removing a run removes those that were left behind, and no running one', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'bowline-runs-'))
  const ended = new RunState(endedPid(), folder.path)
  const running = new RunState(process.ppid, folder.path)
  const own = new RunState(process.pid, folder.path)
  for (const run of [ended, running, own]) run.writeSessionReport(reportOf('session-1'))

  own.remove()

  expect([ended, running, own].map((run) => run.readSessionReports().length)).toEqual([0, 1, 0])
  expect(readdirSync(folder.path)).toHaveLength(1)
})
