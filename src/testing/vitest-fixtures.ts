import type { TestAPI, TestContext } from 'vitest'
import { Bowline } from '../client/bowline.ts'
import type { BowlineOptions } from '../client/config.ts'
import type { Driver } from '../client/driver.ts'
import type { Session } from '../client/session.ts'
import type { CreateSessionOptions } from '../contract/browser.ts'
import { openWithRetries } from './open-with-retries.ts'

/** How the tests of a file get their pages. */
export interface VitestOptions<Handles> {
  /** Connects the session: `playwright` or `puppeteer`. */
  readonly driver: Driver<Handles>
  /** How the session of each test file is created. */
  readonly session?: CreateSessionOptions | undefined
  /** The service. Default: `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`. */
  readonly bowline?: BowlineOptions | undefined
}

/** What tests can ask for. */
export interface VitestFixtures<Handles> {
  /** The session of the file, and what the driver connects: with Playwright `browser`, `context` and a `page` of its own. */
  readonly remote: Handles & { readonly session: Session }
}

type Use<Value> = (value: Value) => Promise<void>

interface WorkerSlot<Handles> {
  readonly session: Session
  readonly next: () => Promise<Handles>
  /** Notes that a test has failed: recordings that are kept for failures are kept then. */
  readonly noteFailure: () => void
}

/**
 * Vitest's `test` with `remote`: the tests of a file share a session, which ends with the file, and each has a page of its own.
 * `const test = withSession(base, { driver: playwright })`, then `test('…', async ({ remote: { page } }) => …)`.
 */
export function withSession<Handles>(
  test: TestAPI,
  { driver, session: options = {}, bowline: how = {} }: VitestOptions<Handles>,
): TestAPI<VitestFixtures<Handles>> {
  const sharedLane = async (use: Use<WorkerSlot<Handles>>): Promise<void> => {
    await using bowline = new Bowline(how)
    await using session = await openWithRetries(bowline.sessions, options)
    let hasFailed = false
    const noteFailure = (): void => {
      hasFailed = true
    }
    {
      await using connected = await driver.connect(session)
      const reuse = driver.reuse?.(connected)
      let isFirst = true
      const next = async (): Promise<Handles> => {
        const handles = isFirst || reuse === undefined ? connected : await reuse.next()
        isFirst = false
        return handles
      }
      await use({ session, next, noteFailure })
    }
    await session.end({ failed: hasFailed })
  }
  const fixtures = {
    // oxlint-disable-next-line eslint/no-empty-pattern -- Vitest reads from the pattern what a fixture depends on
    lane: [async ({}, use: Use<WorkerSlot<Handles>>) => sharedLane(use), { scope: 'file' }],
    remote: async (
      { lane, task }: { readonly lane: WorkerSlot<Handles> } & Pick<TestContext, 'task'>,
      use: Use<VitestFixtures<Handles>['remote']>,
    ) => {
      await use({ ...(await lane.next()), session: lane.session })
      if (task.result?.state === 'fail') lane.noteFailure()
    },
  }
  // Its types cannot follow a fixture that is generic.
  return test.extend(fixtures as never) as unknown as TestAPI<VitestFixtures<Handles>>
}
