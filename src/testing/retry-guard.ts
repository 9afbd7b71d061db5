import type { TestInfo } from '@playwright/test'
import { addFailureCause, readFailureCauses, type FailureCause } from './run-files.ts'

/** Annotation type of attempts whose session was lost. */
export const infrastructureAnnotation = 'infrastructure'

/** State of a running attempt. */
export interface AttemptState {
  /** Reason why the session was lost. */
  sessionLoss: string | undefined
}

/**
 * Throws if the test itself failed more often than `testRetries` allows. Only versions of
 * Playwright Test that retry in spite of `handleFailedAttempt` get here.
 */
export function refuseRetry({ retry, project, testId }: TestInfo, testRetries: number): void {
  if (retry === 0) return
  const causes = readFailureCauses(project.outputDir, testId)
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
export function handleFailedAttempt(testInfo: TestInfo, sessionLoss: string | undefined, testRetries: number): void {
  const { status, expectedStatus, annotations, project, testId } = testInfo
  if (status === expectedStatus || status === 'skipped') return
  if (sessionLoss !== undefined) annotations.push({ type: infrastructureAnnotation, description: sessionLoss })
  addFailureCause(project.outputDir, testId, sessionLoss === undefined ? 'test' : 'infrastructure')
  if (sessionLoss !== undefined) return
  if (countTestFailures(readFailureCauses(project.outputDir, testId)) <= testRetries) return
  endRetries(testInfo)
  if (project.retries > testRetries && status !== 'interrupted') warnOnce()
}

let hasWarned = false

/** Explains missing retries to users without the reporter, which says so as well. */
function warnOnce(): void {
  if (hasWarned) return
  hasWarned = true
  console.warn(
    'Bowline: failed tests are not retried, since `retries` is for lost sessions. Set `testRetries` under `use` to retry them.',
  )
}

function countTestFailures(causes: readonly FailureCause[]): number {
  return causes.filter((cause) => cause === 'test').length
}

/** Marks the error as not retriable. Playwright Test has no public API for this. */
export function endRetries(testInfo: TestInfo & { _hasNonRetriableError?: boolean }): void {
  if ('_hasNonRetriableError' in testInfo) testInfo._hasNonRetriableError = true
}
