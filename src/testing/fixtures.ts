import { test as base } from '@playwright/test'
import { Bowline } from '../client/bowline.ts'
import type { BowlineOptions } from '../client/config.ts'
import { isBowlineError } from '../kit/errors.ts'
import { explained } from './explained.ts'
import { recordConsole } from './console-log.ts'
import type { TestFixtures, WorkerFixtures } from './fixture-names.ts'
import { patienceMs } from './open-with-retries.ts'
import { writeRecord } from './record-files.ts'
import { judgeAttempt, refuseRetry, type AttemptRecord } from './retry-guard.ts'
import { openTestSession, type TestSession } from './test-session.ts'

// Playwright's types do not know that an option of its own can be declared anew; a bare value would win over the configuration.
function workerDefault(value: string): never {
  return [value, { scope: 'worker', option: true }] as never
}

function openClient(options: BowlineOptions): Bowline {
  try {
    return new Bowline(options)
  } catch (error) {
    return throwExplained(error)
  }
}

function throwExplained(error: unknown): never {
  throw explained(error)
}

/**
 * Playwright's `test`, whose `browser`, `context` and `page` are those of a remote session. Sessions are deleted when their
 * test or worker ends, and when it is killed. Traces, screenshots and the console are kept when a test fails.
 */
export const test = base.extend<TestFixtures, WorkerFixtures>({
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
      await use(await reading?.catch(throwExplained))
    },
    { scope: 'worker' },
  ],
  storageState: async ({ storageState, profileState }, use) => {
    await use(profileState ?? storageState)
  },

  sharedSession: [
    async ({ bowline, sessionOptions, playwright: { chromium } }, use, { project }) => {
      let opening: Promise<TestSession> | undefined
      const onEnd = writeRecord.bind(undefined, project.outputDir)
      await use({ get: () => (opening ??= openTestSession(bowline, sessionOptions, { chromium, onEnd })) })
      const opened = await opening?.catch(() => undefined)
      await opened?.end()
    },
    { scope: 'worker', timeout: patienceMs + 30_000 },
  ],
  browser: [
    async ({ sharedSession }, use) => {
      await use((await sharedSession.get()).browser)
    },
    { scope: 'worker', timeout: patienceMs + 30_000 },
  ],

  attemptRecord: [
    async ({ testRetries }, use, testInfo) => {
      refuseRetry(testInfo, testRetries)
      const record: AttemptRecord = { lost: undefined }
      await use(record)
      judgeAttempt(testInfo, record.lost, testRetries)
    },
    { auto: true },
  ],
  testSession: [
    async (
      { attemptRecord, bowline, sharedSession, sessionPer, sessionOptions, playwright: { chromium } },
      use,
      testInfo,
    ) => {
      const { annotations, project, file } = testInfo
      const onEnd = writeRecord.bind(undefined, project.outputDir)
      const opening =
        sessionPer === 'worker' ? sharedSession.get() : openTestSession(bowline, sessionOptions, { chromium, onEnd })
      const opened = await opening.catch((error: unknown) => {
        attemptRecord.lost = isBowlineError(error) ? error.toLine() : String(error)
        throw explained(error)
      })
      const { session } = opened
      annotations.push({ type: 'session', description: session.id })
      if (session.liveViewUrl !== '') annotations.push({ type: 'live view', description: session.liveViewUrl })
      const startedAt = performance.now()
      await use(opened)
      const hasFailed = testInfo.status !== testInfo.expectedStatus
      if (hasFailed) attemptRecord.lost = await opened.findFailure()
      opened.addUse({ file, durationMs: performance.now() - startedAt, hasFailed })
      if (sessionPer === 'worker') return
      const { bill, recording } = await opened.end()
      annotations.push({ type: 'credits', description: String(bill.creditsBilled ?? 'unknown') })
      if (recording !== undefined) annotations.push({ type: 'recording', description: recording })
    },
    { timeout: patienceMs + 30_000 },
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
    // A lost session has nothing to close any more.
    await context.close().catch(() => undefined)
  },
})
