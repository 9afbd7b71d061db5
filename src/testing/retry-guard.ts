import type { TestInfo } from '@playwright/test'
import { addVerdict, readVerdicts, type Verdict } from './record-files.ts'

/** Type of the annotation on an attempt whose session was lost. */
export const infrastructureAnnotation = 'infrastructure'

/** What is known of an attempt on a test while it runs. */
export interface AttemptRecord {
  /** Why its session was lost. */
  lost: string | undefined
}

/**
 * Refuses another attempt on a test that failed by itself: `retries` are for lost sessions, `testRetries` for the rest.
 * Only versions of Playwright Test that make it in spite of `judgeAttempt` get here.
 */
export function refuseRetry({ retry, project, testId }: TestInfo, testRetries: number): void {
  if (retry === 0) return
  const verdicts = readVerdicts(project.outputDir, testId)
  const own = ownFailures(verdicts)
  if (verdicts.at(-1) !== 'test' || own <= testRetries) return
  throw new Error(
    `Not run again, since it failed by itself ${own === 1 ? 'once' : `${own} times`}: see the attempt before. ` +
      'Retries are for lost sessions; `testRetries` under `use` says how often other failures are tried again.',
  )
}

/** Notes why an attempt failed, if it did, and has it be the last one if it failed by itself too often. */
export function judgeAttempt(testInfo: TestInfo, lost: string | undefined, testRetries: number): void {
  const { status, expectedStatus, annotations, project, testId } = testInfo
  if (status === expectedStatus || status === 'skipped') return
  if (lost !== undefined) annotations.push({ type: infrastructureAnnotation, description: lost })
  addVerdict(project.outputDir, testId, lost === undefined ? 'test' : 'infrastructure')
  if (lost === undefined && ownFailures(readVerdicts(project.outputDir, testId)) > testRetries) endRetries(testInfo)
}

function ownFailures(verdicts: readonly Verdict[]): number {
  return verdicts.filter((verdict) => verdict === 'test').length
}

/** Playwright Test knows of errors that no retry helps with, but has no public way to say that this is one. */
function endRetries(testInfo: TestInfo & { _hasNonRetriableError?: boolean }): void {
  if ('_hasNonRetriableError' in testInfo) testInfo._hasNonRetriableError = true
}
