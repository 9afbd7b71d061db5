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
 * Throws if the test itself failed more often than `testRetries` allows. Only versions of
 * Playwright Test that retry in spite of `handleFailedAttempt` get here.
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

/** Marks the error as not retriable. Playwright Test has no public API for this. */
export function endRetries(testInfo: TestInfo & { _hasNonRetriableError?: boolean }): void {
  if ('_hasNonRetriableError' in testInfo) testInfo._hasNonRetriableError = true
}
