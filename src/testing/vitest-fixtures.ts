import type { TestAPI, TestContext } from 'vitest'
import type { BowlineOptions } from '../client/config.ts'
import type { Driver } from '../client/driver.ts'
import type { Session } from '../client/session.ts'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import { rethrowWithHint } from './error-with-hint.ts'
import { openFileSession, type FileSession } from './vitest-session.ts'

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

/**
 * Fixtures of a test.
 *
 * @example
 * ```ts
 * import { playwright } from 'bowline/playwright'
 * import { withSession } from 'bowline/testing/vitest'
 * import { expect, test as base } from 'vitest'
 *
 * const test = withSession(base, { driver: playwright })
 *
 * test('the page has a title', async ({ remote: { page, session } }) => {
 *   console.log(`Watch: ${session.liveViewUrl}`)
 *   await page.goto('https://example.com')
 *   expect(await page.title()).toMatch(/Example/)
 * })
 * ```
 */
export interface VitestFixtures<Handles> {
  /** Session of the test file and the handles of the driver. Each test has its own `page`. */
  readonly remote: Handles & { readonly session: Session }
}

type Use<Value> = (value: Value) => Promise<void>

/** Opens the session of the test file with its first test, and returns it to the others. */
type OpenShared<Handles> = (task: TestContext['task']) => Promise<FileSession<Handles>>

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
export function withSession<Handles>(test: TestAPI, options: VitestOptions<Handles>): TestAPI<VitestFixtures<Handles>> {
  // Tests that extend each other have their own file fixture, but share the session.
  let opening: Promise<FileSession<Handles>> | undefined
  let users = 0
  const shareSession = async (use: Use<OpenShared<Handles>>): Promise<void> => {
    users += 1
    try {
      await use(async ({ file }) => {
        opening ??= openFileSession(options, file.name).catch(rethrowWithHint)
        return opening
      })
    } finally {
      users -= 1
      if (users === 0) {
        const shared = opening
        opening = undefined
        // A session that was not opened does not need to be ended.
        await (await shared?.catch(() => undefined))?.[Symbol.asyncDispose]()
      }
    }
  }
  const fixtures = {
    // oxlint-disable-next-line eslint/no-empty-pattern -- Vitest derives dependencies from the pattern
    openShared: [async ({}, use: Use<OpenShared<Handles>>) => shareSession(use), { scope: 'file' }],
    remote: async (
      { openShared, task }: { readonly openShared: OpenShared<Handles> } & Pick<TestContext, 'task'>,
      use: Use<VitestFixtures<Handles>['remote']>,
    ) => {
      const { session, run } = await openShared(task)
      await run(task, async (handles) => use({ ...handles, session }))
    },
  }
  // The types of Vitest do not support generic fixtures.
  return test.extend(fixtures as never) as unknown as TestAPI<VitestFixtures<Handles>>
}
