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
import { warnOfIgnoredOptions } from './ignored-options.ts'
import { capacityTimeoutMs } from './open-with-retries.ts'
import { endRetries, handleFailedAttempt, refuseRetry, type AttemptState } from './retry-guard.ts'
import { RunState } from './run-state.ts'
import { nameAfterTest, nameAfterWorker } from './session-name.ts'
import { annotateSession, creditsAnnotation, recordBrowserUse, recordUse, type BrowserSession } from './session-use.ts'
import { SharedSession } from './shared-session.ts'
import { openTestSession, type TestSession } from './test-session.ts'

interface OwnTestFixtures extends TestFixtures {
  readonly testSession: TestSession
  readonly attemptState: AttemptState
}

interface OwnWorkerFixtures extends WorkerFixtures {
  readonly runState: RunState
  readonly browserSession: BrowserSession
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
    { scope: 'worker', timeout: capacityTimeoutMs + 30_000 },
  ],
  storageState: async ({ storageState, profileState }, use) => {
    await use(profileState ?? storageState)
  },

  // The workers are children of the process that runs the reporter.
  // oxlint-disable-next-line eslint/no-empty-pattern -- Playwright derives dependencies from the pattern
  runState: [async ({}, use) => use(new RunState(process.ppid)), { scope: 'worker' }],
  browserName: alwaysChromium(),
  sharedSession: [
    async ({ bowline, sessionOptions, runState, video, browserName, playwright: { chromium } }, use, worker) => {
      warnOfIgnoredOptions({ video, browserName }, worker.project, runState)
      const options = nameAfterWorker(sessionOptions, worker)
      const onEnd = runState.writeSessionReport.bind(runState)
      await using shared = new SharedSession(async () => openTestSession(bowline, options, { chromium, onEnd }))
      await use(shared)
    },
    { scope: 'worker', timeout: capacityTimeoutMs + 30_000 },
  ],
  browserSession: [
    // oxlint-disable-next-line eslint/no-empty-pattern -- see above
    async ({}, use) => use({ opened: undefined, file: undefined }),
    { scope: 'worker' },
  ],
  browser: [
    async ({ sharedSession, browserSession }, use) => {
      browserSession.file = base.info().file
      const opened = await sharedSession.pin().catch(rethrowWithHint)
      browserSession.opened = opened
      await use(opened.browser)
    },
    { scope: 'worker', timeout: capacityTimeoutMs + 30_000 },
  ],

  attemptState: [
    async ({ testRetries, runState, browserSession }, use, testInfo) => {
      const retryOptions = { testRetries, runState }
      refuseRetry(testInfo, retryOptions)
      const state: AttemptState = { sessionLoss: undefined, session: undefined }
      const startedAt = performance.now()
      await use(state)
      const loss = await recordBrowserUse(browserSession, state.session, testInfo, startedAt)
      handleFailedAttempt(testInfo, state.sessionLoss ?? loss, retryOptions)
    },
    { auto: true, timeout: 60_000 },
  ],
  testSession: [
    async (
      { attemptState, bowline, sharedSession, sessionPer, sessionOptions, runState, playwright: { chromium } },
      use,
      testInfo,
    ) => {
      const onEnd = runState.writeSessionReport.bind(runState)
      const isShared = sessionPer === 'worker'
      const options = nameAfterTest(sessionOptions, testInfo)
      const opening = isShared ? sharedSession.use() : openTestSession(bowline, options, { chromium, onEnd })
      const opened = await opening.catch((error: unknown) => {
        if (!isFatal(error)) attemptState.sessionLoss = isBowlineError(error) ? error.toLine() : String(error)
        throw errorWithHint(error)
      })
      attemptState.session = opened
      annotateSession(testInfo.annotations, opened, { isShared })
      const startedAt = performance.now()
      await use(opened)
      attemptState.sessionLoss = await recordUse(opened, testInfo, startedAt)
      if (isShared) sharedSession.release()
      else await endOwnSession(opened, testInfo.annotations)
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
    // As Playwright Test does: otherwise, the error of a waiting action would be that the context was closed.
    const isTimeout = testInfo.status === 'timedOut'
    const reason = isTimeout ? `Test timeout of ${testInfo.timeout}ms exceeded.` : 'Test ended.'
    // Closing fails if the session was lost.
    await context.close({ reason }).catch(() => undefined)
  },
})

async function endOwnSession(opened: TestSession, annotations: TestInfo['annotations']): Promise<void> {
  const { bill } = await opened.end()
  annotations.push({ type: creditsAnnotation, description: String(bill.creditsBilled ?? 'unknown') })
}

// Playwright's types do not allow redeclaring its own options. A plain value would override the
// configuration.
function workerDefault(value: string): never {
  return [value, { scope: 'worker', option: true }] as never
}

// Overrides the configuration: `browserName` is the browser that runs the tests.
function alwaysChromium(): never {
  // oxlint-disable-next-line eslint/no-empty-pattern -- Playwright derives dependencies from the pattern
  return [async ({}, use: (name: string) => Promise<void>) => use('chromium'), { scope: 'worker' }] as never
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
