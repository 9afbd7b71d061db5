import type { Bowline } from '../client/bowline.ts'
import type { BowlineOptions } from '../client/config.ts'
import type { Session } from '../client/session.ts'
import type { CreateSessionOptions } from '../contract/session-options.ts'

/**
 * Options of the fixtures, set under `use` in the configuration of Playwright Test or by
 * `test.use()`.
 *
 * @example
 * ```ts
 * import { defineConfig, type BowlineTestOptions } from 'bowline/testing'
 *
 * export default defineConfig<object, BowlineTestOptions>({
 *   retries: 2,
 *   use: { sessionPer: 'test', sessionOptions: { ttl: 600, record: true }, testRetries: 1 },
 * })
 * ```
 */
export interface BowlineTestOptions {
  /** Options of the client. Default: `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`. */
  readonly bowlineOptions: BowlineOptions
  /**
   * `worker`: the tests of a worker share a session, and each has its own context. `test`: each
   * test has its own session. Default: `worker`.
   */
  readonly sessionPer: 'worker' | 'test'
  /**
   * Options of the sessions. Default: `{ ttl: 1800 }`. Without `name`, a session is named after its
   * test, or after the project and index of its worker.
   */
  readonly sessionOptions: CreateSessionOptions
  /**
   * Name of a profile whose cookies and storage every test starts with. It is never written.
   * Default: none.
   */
  readonly profile: string | undefined
  /**
   * Retries of tests that fail for other reasons than a lost session, at most `retries` of
   * Playwright Test. The remaining `retries` are for lost sessions. Default: 0.
   */
  readonly testRetries: number
}

/**
 * Fixtures of a test, in addition to those of Playwright Test.
 *
 * @example
 * ```ts
 * import { expect, test } from 'bowline/testing'
 *
 * test('the page has a title', async ({ page, session }) => {
 *   console.log(`Watch: ${session.liveViewUrl}`)
 *   await page.goto('https://example.com')
 *   await expect(page).toHaveTitle(/Example/)
 * })
 * ```
 */
export interface TestFixtures {
  /** Session of the test. */
  readonly session: Session
}

/**
 * Fixtures that the tests of a worker share.
 *
 * @example
 * ```ts
 * import { expect, test } from 'bowline/testing'
 *
 * test.use({ sessionOptions: { ttl: 600, record: { har: true } } })
 *
 * test.beforeAll(async ({ bowline }) => {
 *   console.log(await bowline.usage.current())
 * })
 *
 * test('the page has a title', async ({ page }) => {
 *   await page.goto('https://example.com')
 *   await expect(page).toHaveTitle(/Example/)
 * })
 * ```
 */
export interface WorkerFixtures extends BowlineTestOptions {
  /** Client of the service. */
  readonly bowline: Bowline
}
