import type { TestInfo } from '@playwright/test'
import { titleOfTest } from './session-name.ts'
import type { TestSession } from './test-session.ts'

/** Annotation type of the ID of a session. Those of the same session follow it. */
export const sessionAnnotation = 'session'

/** Annotation type of the credits of a session. */
export const creditsAnnotation = 'credits'

/** Annotation type of the link to the recordings of a session. */
export const recordingAnnotation = 'recording'

/** Reports are read when the session has ended, and its live view with it. */
const liveViewAnnotation = 'live view (while the session runs)'

/** The session of the fixture `browser`, from its first use to the end of the worker. */
export interface BrowserSession {
  opened: TestSession | undefined
  /** Test file that used `browser` first. */
  file: string | undefined
}

/** Annotates a test with its session. */
export function annotateSession(
  annotations: TestInfo['annotations'],
  { session }: TestSession,
  { isShared }: { readonly isShared: boolean },
): void {
  annotations.push({ type: sessionAnnotation, description: session.id })
  if (session.liveViewUrl !== '') annotations.push({ type: liveViewAnnotation, description: session.liveViewUrl })
  if (isShared) annotations.push({ type: creditsAnnotation, description: 'shared with the other tests of the worker' })
}

/**
 * Records that a test has used a session since `startedAt`. Returns why the session was lost, if
 * the test failed because of that.
 */
export async function recordUse(
  opened: TestSession,
  testInfo: TestInfo,
  startedAt: number,
): Promise<string | undefined> {
  const { file, titlePath, status, expectedStatus } = testInfo
  const hasFailed = status !== expectedStatus
  const loss = hasFailed && status !== 'interrupted' ? await opened.findSessionLoss(startedAt) : undefined
  const use = {
    file,
    title: titleOfTest(titlePath),
    startSeconds: Math.max(0, startedAt - opened.openedAt) / 1000,
    durationMs: performance.now() - startedAt,
    hasFailed,
  }
  opened.addUse(use, (link) => testInfo.annotations.push({ type: recordingAnnotation, description: link }))
  // The error of the test says only that the browser was closed.
  if (loss !== undefined)
    testInfo.errors.unshift({ message: `Error: Session lost: ${loss}. The errors after this one are consequences.` })
  return loss
}

/**
 * Records that a test ran while its worker had the session of `browser`, unless the test used it
 * through other fixtures. Returns why the session was lost.
 */
export async function recordBrowserUse(
  { opened, file }: BrowserSession,
  own: TestSession | undefined,
  testInfo: TestInfo,
  startedAt: number,
): Promise<string | undefined> {
  if (opened === undefined || opened === own) return undefined
  // A test with its own session uses that of `browser` only if its file does.
  if (own !== undefined && file !== testInfo.file) return undefined
  annotateSession(testInfo.annotations, opened, { isShared: true })
  return recordUse(opened, testInfo, startedAt)
}
