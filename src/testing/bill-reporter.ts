import { relative } from 'node:path'
import type { FullConfig, Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { infrastructureAnnotation, notRetriedTopic } from './retry-guard.ts'
import { RunState } from './run-state.ts'
import { reportsOfAttempts, type Attempt } from './merged-reports.ts'
import { sessionAnnotation } from './session-use.ts'
import { linkToUse, type SessionReport } from './test-session.ts'

interface Cost {
  readonly sessions: number
  readonly credits: number
}

/**
 * Playwright Test reporter, exported by `bowline/testing/reporter`. After a run it prints the
 * sessions and credits per test file, the recordings of failed tests, the number of attempts whose
 * session was lost or could not be opened, and that of failed tests that were not retried.
 *
 * For `npx playwright merge-reports` it works from the annotations of the tests. These have no
 * credits of sessions that tests share (`sessionPer: 'worker'`): those count as 0.
 *
 * @example
 * ```ts
 * import { defineConfig } from 'bowline/testing'
 *
 * export default defineConfig({
 *   reporter: [['list'], ['bowline/testing/reporter']],
 * })
 * ```
 */
export class BillReporter implements Reporter {
  readonly #runState: RunState
  #config: FullConfig | undefined
  readonly #sessionIds = new Set<string>()
  #lostSessions = 0
  readonly #attempts: Attempt[] = []

  constructor(_options: unknown, runState = new RunState(process.pid)) {
    this.#runState = runState
  }

  onBegin(config: FullConfig): void {
    this.#config = config
    // From an earlier run, whose process had the same ID.
    this.#runState.remove()
    this.#runState.claim(notRetriedTopic)
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const { annotations } = result
    if (annotations.some(({ type }) => type === infrastructureAnnotation)) this.#lostSessions += 1
    this.#attempts.push({ test, result })
    for (const { type, description } of annotations)
      if (type === sessionAnnotation) this.#sessionIds.add(description ?? '')
  }

  onEnd(): void {
    const reports = isMerge() ? reportsOfAttempts(this.#attempts) : this.#runState.readSessionReports()
    this.#runState.remove()
    if (reports.length === 0 && this.#sessionIds.size === 0) return
    for (const line of this.#describe(reports)) console.log(line)
  }

  printsToStdio(): boolean {
    return false
  }

  #shorten(file: string): string {
    return file === otherRow ? file : relative(this.#config?.rootDir ?? '', file)
  }

  *#describe(reports: readonly SessionReport[]): Generator<string> {
    const files = splitByFile(reports)
    const names = [...files.keys()].toSorted((one, other) => one.localeCompare(other))
    const rows = names.map((file): readonly [string, Cost] => [
      this.#shorten(file),
      files.get(file) ?? { sessions: 0, credits: 0 },
    ])
    const credits = reports.reduce((sum, { bill }) => sum + (bill.creditsBilled ?? 0), 0)
    const all: readonly [string, Cost] = ['total', { sessions: reports.length, credits }]
    const width = Math.max(...[...rows, all].map(([name]) => name.length))
    yield ''
    yield `  ${'Bowline'.padEnd(width)}  sessions  credits`
    // Files that share a session have parts of its credits.
    const decimals = rows.every(([, cost]) => Number.isInteger(cost.credits)) ? 0 : 1
    for (const [name, cost] of [...rows, all]) {
      yield `  ${name.padEnd(width)}  ${String(cost.sessions).padStart(8)}  ${cost.credits.toFixed(decimals).padStart(7)}`
    }
    yield* this.#explainTable(reports)
    yield* this.#linkFailures(reports)
    yield* this.#describeRetries()
  }

  *#explainTable(reports: readonly SessionReport[]): Generator<string> {
    if (reports.some(({ uses }) => new Set(uses.map(({ file }) => file)).size > 1)) {
      yield '  A session that several files used counts in each of their rows, with a part of its credits.'
    }
    const billed = new Set(reports.map(({ bill }) => bill.sessionId))
    const unknown = [...this.#sessionIds].filter((id) => !billed.has(id)).length
    if (unknown > 0) {
      yield `  ${countSessions(unknown)} without a bill: their deletion failed, or their worker was killed`
    }
    const unreported = reports.filter(({ bill }) => bill.creditsBilled === undefined).length
    if (unreported === 0) return
    const why = isMerge()
      ? 'not in the merged reports, counted as 0. The output of the shards has them.'
      : 'not reported by the service, counted as 0'
    yield `  credits of ${countSessions(unreported)} ${why}`
  }

  *#linkFailures(reports: readonly SessionReport[]): Generator<string> {
    for (const report of reports) {
      for (const use of report.uses.filter(({ hasFailed }) => hasFailed)) {
        // In merged reports, the link has the time.
        const link = isMerge() ? report.recording : linkToUse(report, use)
        if (link !== undefined) yield `  ${this.#shorten(use.file)} › ${use.title} failed: ${link}`
      }
    }
  }

  *#describeRetries(): Generator<string> {
    const attempts = this.#lostSessions === 1 ? '1 attempt' : `${this.#lostSessions} attempts`
    if (this.#lostSessions > 0) yield `  ${attempts} failed because the session was lost or could not be opened`
    const notRetried = [...new Set(this.#attempts.map(({ test }) => test))].filter(
      (test) => test.outcome() === 'unexpected' && test.retries > 0 && test.results.length === 1,
    )
    const tests = notRetried.length === 1 ? '1 failed test was' : `${notRetried.length} failed tests were`
    if (notRetried.length > 0)
      yield `  ${tests} not retried: \`retries\` is for lost sessions, \`testRetries\` for other failures`
  }
}

function countSessions(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`
}

/** Whether the reporter is run by `npx playwright merge-reports`. */
function isMerge(): boolean {
  return process.argv[2] === 'merge-reports'
}

/** Row of sessions that no test has used. */
const otherRow = '(other)'

/** Splits the cost of sessions among test files, by the time each file has used them. */
function splitByFile(reports: readonly SessionReport[]): ReadonlyMap<string, Cost> {
  const files = new Map<string, Cost>()
  for (const { bill, uses } of reports) {
    const totalMs = uses.reduce((sum, use) => sum + use.durationMs, 0)
    const names = uses.length === 0 ? [otherRow] : uses.map((use) => use.file)
    for (const file of new Set(names)) {
      const usedMs = uses.filter((use) => use.file === file).reduce((sum, use) => sum + use.durationMs, 0)
      const share = totalMs === 0 ? 1 / new Set(names).size : usedMs / totalMs
      const before = files.get(file) ?? { sessions: 0, credits: 0 }
      const credits = before.credits + (bill.creditsBilled ?? 0) * share
      files.set(file, { sessions: before.sessions + 1, credits })
    }
  }
  return files
}
