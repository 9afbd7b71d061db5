import type { TestAPI, TestContext } from 'vitest'
import { Bowline } from '../client/bowline.ts'
import type { BowlineOptions } from '../client/config.ts'
import { disconnect } from '../client/disconnect.ts'
import type { Driver } from '../client/driver.ts'
import type { Session } from '../client/session.ts'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'
import { rethrowWithHint } from './error-with-hint.ts'
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

/** The session that the tests of a file share. */
interface SharedSession<Handles> extends AsyncDisposable {
  readonly session: Session
  /** Runs a test with its own page. `use` resolves to whether the test failed. */
  readonly run: (use: (handles: Handles) => Promise<boolean>) => Promise<void>
}

async function openSharedSession<Handles>({
  driver,
  session: options = {},
  bowline: clientOptions = {},
}: VitestOptions<Handles>): Promise<SharedSession<Handles>> {
  await using undo = new AsyncDisposableStack()
  const bowline = undo.use(new Bowline(clientOptions))
  const session = await openWithRetries(bowline.sessions, options, { onQueued: warnOfQueue })
  let hasFailed = false
  undo.defer(async () => void (await session.end({ failed: hasFailed })))
  const connected = await driver.connect(session)
  undo.defer(async () => disconnect(connected))
  const reuse = driver.reuse?.(connected)
  let isFirst = true
  let running = 0
  let opening: Promise<unknown> = Promise.resolve()
  const open = async (): Promise<Handles> => {
    if (!isFirst && reuse !== undefined) return reuse.next({ keepsPages: running > 1 })
    isFirst = false
    return connected
  }
  /** Opens one page at a time, because opening a page may close others. */
  const next = async (): Promise<Handles> => {
    const handles = opening.then(open)
    opening = handles.catch(() => undefined)
    return handles
  }
  const owned = undo.move()
  return {
    session,
    run: async (use) => {
      running += 1
      try {
        hasFailed = (await use(await next())) || hasFailed
      } finally {
        running -= 1
      }
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}

function warnOfQueue(): void {
  console.warn('Bowline: all sessions are in use. Waiting for one counts towards the test timeout.')
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
export function withSession<Handles>(test: TestAPI, options: VitestOptions<Handles>): TestAPI<VitestFixtures<Handles>> {
  // Tests that extend each other have their own file fixture, but share the session.
  let opening: Promise<SharedSession<Handles>> | undefined
  let users = 0
  const shareSession = async (use: Use<SharedSession<Handles>>): Promise<void> => {
    users += 1
    opening ??= openSharedSession(options).catch(rethrowWithHint)
    const shared = opening
    try {
      await use(await shared)
    } finally {
      users -= 1
      if (users === 0) {
        opening = undefined
        // A session that was not opened does not need to be ended.
        await (await shared.catch(() => undefined))?.[Symbol.asyncDispose]()
      }
    }
  }
  const fixtures = {
    // oxlint-disable-next-line eslint/no-empty-pattern -- Vitest derives dependencies from the pattern
    sharedSession: [async ({}, use: Use<SharedSession<Handles>>) => shareSession(use), { scope: 'file' }],
    remote: async (
      { sharedSession, task }: { readonly sharedSession: SharedSession<Handles> } & Pick<TestContext, 'task'>,
      use: Use<VitestFixtures<Handles>['remote']>,
    ) =>
      sharedSession.run(async (handles) => {
        await use({ ...handles, session: sharedSession.session })
        return task.result?.state === 'fail'
      }),
  }
  // The types of Vitest do not support generic fixtures.
  return test.extend(fixtures as never) as unknown as TestAPI<VitestFixtures<Handles>>
}
