import type { TestAPI, TestContext } from 'vitest'
import { Bowline } from '../client/bowline.ts'
import type { BowlineOptions } from '../client/config.ts'
import { disconnect } from '../client/disconnect.ts'
import type { Driver } from '../client/driver.ts'
import type { Session } from '../client/session.ts'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import { openWithRetries } from './open-with-retries.ts'

/**
 * Options of the Vitest fixtures.
 *
 * @example
 * ```ts
 * import { playwright, type PlaywrightHandles } from 'bowline/playwright'
 * import { withSession, type VitestOptions } from 'bowline/testing/vitest'
 * import { test as base } from 'vitest'
 *
 * const options: VitestOptions<PlaywrightHandles> = {
 *   driver: playwright,
 *   session: { ttl: 600 },
 *   bowline: { timeoutMs: 30_000 },
 * }
 * export const test = withSession(base, options)
 * ```
 */
export interface VitestOptions<Handles> {
  /** Connects the session: `playwright` or `puppeteer`. */
  readonly driver: Driver<Handles>
  /** Options of the session of each test file. */
  readonly session?: CreateSessionOptions | undefined
  /** Options of the client. Default: `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`. */
  readonly bowline?: BowlineOptions | undefined
}

/** Fixtures of a test. */
export interface VitestFixtures<Handles> {
  /** Session of the test file and the handles of the driver. Each test has its own `page`. */
  readonly remote: Handles & { readonly session: Session }
}

type Use<Value> = (value: Value) => Promise<void>

interface SharedSession<Handles> {
  readonly session: Session
  readonly next: () => Promise<Handles>
  /** Records that a test failed, so that recordings for failures are kept. */
  readonly markFailed: () => void
}

/**
 * Extends `test` of Vitest with the fixture `remote`. The tests of a file share a session, which is
 * deleted at the end of the file. Each test has its own page.
 *
 * @example
 * ```ts
 * import { playwright } from 'bowline/playwright'
 * import { withSession } from 'bowline/testing/vitest'
 * import { expect, test as base } from 'vitest'
 *
 * const test = withSession(base, { driver: playwright })
 *
 * test('the front page has a title', async ({ remote: { page } }) => {
 *   await page.goto('https://example.com')
 *   expect(await page.title()).not.toBe('')
 * })
 * ```
 */
export function withSession<Handles>(
  test: TestAPI,
  { driver, session: options = {}, bowline: clientOptions = {} }: VitestOptions<Handles>,
): TestAPI<VitestFixtures<Handles>> {
  const openSharedSession = async (use: Use<SharedSession<Handles>>): Promise<void> => {
    await using bowline = new Bowline(clientOptions)
    await using session = await openWithRetries(bowline.sessions, options)
    let hasFailed = false
    const markFailed = (): void => {
      hasFailed = true
    }
    const connected = await driver.connect(session)
    try {
      const reuse = driver.reuse?.(connected)
      let isFirst = true
      const next = async (): Promise<Handles> => {
        const handles = isFirst || reuse === undefined ? connected : await reuse.next()
        isFirst = false
        return handles
      }
      await use({ session, next, markFailed })
    } finally {
      await disconnect(connected)
    }
    await session.end({ failed: hasFailed })
  }
  const fixtures = {
    // oxlint-disable-next-line eslint/no-empty-pattern -- Vitest derives dependencies from the pattern
    sharedSession: [async ({}, use: Use<SharedSession<Handles>>) => openSharedSession(use), { scope: 'file' }],
    remote: async (
      { sharedSession, task }: { readonly sharedSession: SharedSession<Handles> } & Pick<TestContext, 'task'>,
      use: Use<VitestFixtures<Handles>['remote']>,
    ) => {
      await use({ ...(await sharedSession.next()), session: sharedSession.session })
      if (task.result?.state === 'fail') sharedSession.markFailed()
    },
  }
  // The types of Vitest do not support generic fixtures.
  return test.extend(fixtures as never) as unknown as TestAPI<VitestFixtures<Handles>>
}
