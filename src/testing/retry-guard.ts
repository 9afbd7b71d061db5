import { readFileSync } from 'node:fs'
import type { TestInfo } from '@playwright/test'
import type { FailureCause, RunState } from './run-state.ts'
import type { TestSession } from './test-session.ts'

/** Annotation type of attempts whose session was lost. */
export const infrastructureAnnotation = 'infrastructure'

/** Topic of the warning that explains missing retries. The reporter claims it. */
export const notRetriedTopic = 'not-retried'

/** State of a running attempt. */
export interface AttemptState {
  /** Reason why the session was lost. */
  sessionLoss: string | undefined
  /** Session of the fixtures `context`, `page` and `session`. */
  session: TestSession | undefined
}

/** Settings of the retries of a test. */
export interface RetryOptions {
  readonly testRetries: number
  readonly runState: RunState
}

/**
 * Throws if the test itself failed more often than `testRetries` allows, and is retried in spite of
 * `endRetries`: in a serial group, and in versions of Playwright Test that do not know the mark.
 */
export function refuseRetry({ retry, testId }: TestInfo, { testRetries, runState }: RetryOptions): void {
  if (retry === 0) return runState.clearFailureCauses(testId)
  const causes = runState.readFailureCauses(testId)
  const own = countTestFailures(causes)
  if (causes.at(-1) !== 'test' || own <= testRetries) return
  throw new Error(
    `Not retried: the test itself failed ${own === 1 ? 'once' : `${own} times`}, see the previous attempt. ` +
      '`retries` applies to lost sessions. Set `testRetries` under `use` to retry other failures.',
  )
}

/**
 * Records why an attempt failed. Prevents further retries if the test itself failed more often than
 * `testRetries` allows.
 */
export function handleFailedAttempt(
  testInfo: TestInfo,
  sessionLoss: string | undefined,
  { testRetries, runState }: RetryOptions,
): void {
  const { status, expectedStatus, annotations, project, testId } = testInfo
  if (status === expectedStatus || status === 'skipped') return
  if (sessionLoss !== undefined) annotations.push({ type: infrastructureAnnotation, description: sessionLoss })
  runState.addFailureCause(testId, sessionLoss === undefined ? 'test' : 'infrastructure')
  if (sessionLoss !== undefined) return
  if (testRetries > project.retries) {
    runState.warnOnce(
      'test-retries',
      `\`testRetries: ${testRetries}\` is more than \`retries: ${project.retries}\`, which limits it. Raise \`retries\`.`,
    )
  }
  if (countTestFailures(runState.readFailureCauses(testId)) <= testRetries) return
  endRetries(testInfo)
  if (project.retries <= testRetries || status === 'interrupted') return
  runState.warnOnce(
    notRetriedTopic,
    'failed tests are not retried, since `retries` is for lost sessions. Set `testRetries` under `use` to retry them.',
  )
}

function countTestFailures(causes: readonly FailureCause[]): number {
  return causes.filter((cause) => cause === 'test').length
}

/**
 * Marks the error as not retriable. Playwright Test has no public API for this. After such an
 * error, it runs the remaining tests of a serial group, which it skips otherwise, so retries of
 * tests that may be in one end with `refuseRetry`.
 */
export function endRetries(testInfo: TestInfo & { _hasNonRetriableError?: boolean }): void {
  if (testInfo.project.retries === 0 || mentionsSerialMode(testInfo.file)) return
  if ('_hasNonRetriableError' in testInfo) testInfo._hasNonRetriableError = true
}

/** Whether a test file may have serial groups. A worker does not know the mode of a test. */
function mentionsSerialMode(file: string): boolean {
  try {
    return /\bserial\b/.test(readFileSync(file, 'utf8'))
  } catch {
    // A file that cannot be read is taken for one without such groups, which is more usual.
    return false
  }
}
