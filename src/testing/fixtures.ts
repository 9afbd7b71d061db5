import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestInfo,
  type TestType,
} from '@playwright/test'
import { Bowline } from '../client/bowline.ts'
import type { BowlineOptions } from '../client/config.ts'
import type { StorageState } from '../contract/profiles.ts'
import { isFatal } from '../client/pool/failure-kind.ts'
import { isBowlineError } from '../kit/errors.ts'
import { errorWithHint, rethrowWithHint } from './error-with-hint.ts'
import { recordConsole } from './console-log.ts'
import type { TestFixtures, WorkerFixtures } from './fixture-types.ts'
import { capacityTimeoutMs } from './open-with-retries.ts'
import { writeSessionReport } from './run-files.ts'
import { endRetries, handleFailedAttempt, refuseRetry, type AttemptState } from './retry-guard.ts'
import { SharedSession } from './shared-session.ts'
import { openTestSession, type TestSession } from './test-session.ts'

interface OwnTestFixtures extends TestFixtures {
  readonly testSession: TestSession
  readonly attemptState: AttemptState
}

interface OwnWorkerFixtures extends WorkerFixtures {
  readonly sharedSession: SharedSession
  readonly profileState: StorageState | undefined
}

/**
 * `test` of Playwright Test, whose `browser`, `context` and `page` belong to a remote session.
 *
 * Sessions are deleted when their test or worker ends or is killed. When a test fails, its trace,
 * screenshot and console log are kept. Set `BowlineTestOptions` under `use`.
 *
 * @example
 * ```ts
 * import { expect, test } from 'bowline/testing'
 *
 * test('the front page has a heading', async ({ page, session }) => {
 *   await page.goto('https://example.com')
 *   await expect(page.getByRole('heading').first()).toBeVisible()
 *   expect(session.id).not.toBe('')
 * })
 * ```
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & TestFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & WorkerFixtures
> = base.extend<OwnTestFixtures, OwnWorkerFixtures>({
  bowlineOptions: [{}, { scope: 'worker', option: true }],
  sessionPer: ['worker', { scope: 'worker', option: true }],
  sessionOptions: [{ ttl: 1800 }, { scope: 'worker', option: true }],
  profile: [undefined, { scope: 'worker', option: true }],
  testRetries: [0, { scope: 'worker', option: true }],
  trace: workerDefault('retain-on-failure'),
  screenshot: workerDefault('only-on-failure'),

  bowline: [
    async ({ bowlineOptions }, use) => {
      await using bowline = openClient(bowlineOptions)
      await use(bowline)
    },
    { scope: 'worker' },
  ],
  profileState: [
    async ({ bowline, profile }, use) => {
      const reading = profile === undefined ? undefined : bowline.profiles.exportState(profile)
      await use(await reading?.catch(refuseToRetry))
    },
    { scope: 'worker' },
  ],
  storageState: async ({ storageState, profileState }, use) => {
    await use(profileState ?? storageState)
  },

  sharedSession: [
    async ({ bowline, sessionOptions, playwright: { chromium } }, use, { project }) => {
      const onEnd = writeSessionReport.bind(undefined, project.outputDir)
      await using shared = new SharedSession(async () => openTestSession(bowline, sessionOptions, { chromium, onEnd }))
      await use(shared)
    },
    { scope: 'worker', timeout: capacityTimeoutMs + 30_000 },
  ],
  browser: [
    async ({ sharedSession }, use) => {
      const { browser } = await sharedSession.pin().catch(rethrowWithHint)
      await use(browser)
    },
    { scope: 'worker', timeout: capacityTimeoutMs + 30_000 },
  ],

  attemptState: [
    async ({ testRetries }, use, testInfo) => {
      refuseRetry(testInfo, testRetries)
      const state: AttemptState = { sessionLoss: undefined }
      await use(state)
      handleFailedAttempt(testInfo, state.sessionLoss, testRetries)
    },
    { auto: true },
  ],
  testSession: [
    async (
      { attemptState, bowline, sharedSession, sessionPer, sessionOptions, playwright: { chromium } },
      use,
      testInfo,
    ) => {
      const { annotations, project, file, titlePath } = testInfo
      const onEnd = writeSessionReport.bind(undefined, project.outputDir)
      const isShared = sessionPer === 'worker'
      const opening = isShared ? sharedSession.use() : openTestSession(bowline, sessionOptions, { chromium, onEnd })
      const opened = await opening.catch((error: unknown) => {
        if (!isFatal(error)) attemptState.sessionLoss = isBowlineError(error) ? error.toLine() : String(error)
        throw errorWithHint(error)
      })
      const { session } = opened
      annotations.push({ type: 'session', description: session.id })
      if (session.liveViewUrl !== '') annotations.push({ type: 'live view', description: session.liveViewUrl })
      const startedAt = performance.now()
      await use(opened)
      const hasFailed = testInfo.status !== testInfo.expectedStatus
      const loss = hasFailed && testInfo.status !== 'interrupted' ? await opened.findSessionLoss() : undefined
      attemptState.sessionLoss = loss
      opened.addUse({
        file,
        title: titlePath.slice(1).join(' › '),
        startSeconds: (startedAt - opened.openedAt) / 1000,
        durationMs: performance.now() - startedAt,
        hasFailed,
      })
      if (isShared) sharedSession.release()
      else await endOwnSession(opened, annotations)
      // The error of the test says only that the browser was closed.
      if (loss !== undefined) throw new Error(`The session was lost during the test: ${loss}`)
    },
    { timeout: capacityTimeoutMs + 30_000 },
  ],
  session: async ({ testSession }, use) => {
    await use(testSession.session)
  },
  context: async ({ testSession }, use, testInfo) => {
    const context = await testSession.openContext()
    const log = recordConsole(context)
    await use(context)
    if (testInfo.status !== testInfo.expectedStatus && log.text() !== '') {
      await testInfo.attach('console', { body: log.text(), contentType: 'text/plain' })
    }
    // Closing fails if the session was lost.
    await context.close().catch(() => undefined)
  },
})

async function endOwnSession(opened: TestSession, annotations: TestInfo['annotations']): Promise<void> {
  const { bill, recording } = await opened.end()
  annotations.push({ type: 'credits', description: String(bill.creditsBilled ?? 'unknown') })
  if (recording !== undefined) annotations.push({ type: 'recording', description: recording })
}

// Playwright's types do not allow redeclaring its own options. A plain value would override the
// configuration.
function workerDefault(value: string): never {
  return [value, { scope: 'worker', option: true }] as never
}

function openClient(options: BowlineOptions): Bowline {
  try {
    // Playwright Test handles signals: it ends the tests, whose fixtures end the sessions.
    return new Bowline({ handleSignals: false, ...options })
  } catch (error) {
    return refuseToRetry(error)
  }
}

/**
 * Throws the error of a worker fixture. Prevents retries of errors that would recur, because worker
 * fixtures start before `attemptState`.
 */
function refuseToRetry(error: unknown): never {
  if (isFatal(error)) endRetries(base.info())
  throw errorWithHint(error)
}
