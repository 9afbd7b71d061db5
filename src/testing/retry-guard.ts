import type { TestInfo } from '@playwright/test'
import { addVerdict, readVerdicts } from './record-files.ts'

/** Type of the annotation on an attempt whose session was lost. */
export const infrastructureAnnotation = 'infrastructure'

/** What is known of an attempt on a test while it runs. */
export interface AttemptRecord {
  /** Why its session was lost. */
  lost: string | undefined
}

/** Refuses another attempt on a test that failed by itself: `retries` are for lost sessions, `testRetries` for the rest. */
export const refuseRetry = ({ retry, project, testId }: TestInfo, testRetries: number): void => {
  if (retry === 0) return
  const verdicts = readVerdicts(project.outputDir, testId)
  const own = verdicts.filter((verdict) => verdict === 'test').length
  if (verdicts.at(-1) !== 'test' || own <= testRetries) return
  throw new Error(
    `Not run again, since it failed by itself ${own === 1 ? 'once' : `${own} times`}: see the attempt before. ` +
      'Retries are for lost sessions; `testRetries` under `use` says how often other failures are tried again.',
  )
}

/** Notes why an attempt failed, if it did. */
export const judgeAttempt = (
  { status, expectedStatus, annotations, project, testId }: TestInfo,
  lost: string | undefined,
): void => {
  if (status === expectedStatus || status === 'skipped') return
  if (lost !== undefined) annotations.push({ type: infrastructureAnnotation, description: lost })
  addVerdict(project.outputDir, testId, lost === undefined ? 'test' : 'infrastructure')
}
