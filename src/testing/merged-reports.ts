import type { TestCase, TestResult } from '@playwright/test/reporter'
import { titleOfTest } from './session-name.ts'
import { creditsAnnotation, recordingAnnotation, sessionAnnotation } from './session-use.ts'
import type { SessionReport, SessionUse } from './test-session.ts'

/** An attempt on a test. */
export interface Attempt {
  readonly test: TestCase
  readonly result: TestResult
}

/** Session of an attempt, as the annotations describe it. */
interface AnnotatedSession {
  readonly id: string
  readonly credits: number | undefined
  readonly recording: string | undefined
}

/**
 * Creates the reports of the sessions of a run from the annotations of its tests, which is all that
 * the blob reports of shards contain. The credits of sessions that tests share are unknown, because
 * they end after their last test.
 */
export function reportsOfAttempts(attempts: readonly Attempt[]): readonly SessionReport[] {
  const reports = new Map<string, SessionReport>()
  for (const { test, result } of attempts) {
    for (const { id, credits, recording } of sessionsOf(result)) {
      const before = reports.get(id)
      const creditsBilled = credits ?? before?.bill.creditsBilled
      reports.set(id, {
        bill: { sessionId: id, endedBy: 'end', creditsBilled },
        recording: recording ?? before?.recording,
        uses: [...(before?.uses ?? []), useOf(test, result)],
      })
    }
  }
  return [...reports.values()]
}

function sessionsOf({ annotations }: TestResult): readonly AnnotatedSession[] {
  const starts = annotations.flatMap(({ type }, index) => (type === sessionAnnotation ? [index] : []))
  return starts.map((start, index) => {
    const own = annotations.slice(start, starts[index + 1])
    const find = (name: string): string | undefined => own.find(({ type }) => type === name)?.description
    const credits = Number(find(creditsAnnotation))
    return {
      id: find(sessionAnnotation) ?? '',
      credits: Number.isFinite(credits) ? credits : undefined,
      recording: find(recordingAnnotation),
    }
  })
}

function useOf(test: TestCase, { duration, status }: TestResult): SessionUse {
  const { file } = test.location
  // Before the title of the file are those of the root and the project.
  const title = titleOfTest(test.titlePath().slice(2))
  return { file, title, startSeconds: 0, durationMs: duration, hasFailed: status !== test.expectedStatus }
}
