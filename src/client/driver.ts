import type { Abortable } from '../kit/abort.ts'
import type { BowlineError } from '../kit/errors.ts'
import type { Session } from './session.ts'

/**
 * Session fields that a driver needs. Without `files`, the driver derives them from `cdpUrl`.
 * `isEnding` says that a deletion is no loss of the connection.
 */
export type DrivenSession = Pick<Session, 'id' | 'cdpUrl'> & Partial<Pick<Session, 'files' | 'isEnding'>>

/** Options of `Reuse.next`. */
export interface NextPageOptions extends Abortable {
  /** Keep the other pages open, because tasks that are still running use them. Default: false. */
  readonly keepsPages?: boolean | undefined
}

/** A connection that is used for many tasks. */
export interface Reuse<Handles> {
  /**
   * Opens a new page in the same context for the next task, and closes all other pages unless they
   * are kept.
   */
  readonly next: (options?: NextPageOptions) => Promise<Handles>
  /**
   * Runs a trivial operation on the page. Its duration shows whether the session has become slow.
   */
  readonly probe: (options?: Abortable) => Promise<void>
  /** Aborts with DRIVER_FAILED when the connection has closed or a page has crashed. */
  readonly failureSignal: AbortSignal
}

/**
 * Options of `Driver.connect`. Aborting stops the wait, and a late connection is closed.
 *
 * @example
 * ```ts
 * import { Bowline, type ConnectOptions } from 'bowline'
 *
 * import { playwright } from 'bowline/playwright'
 *
 * await using session = await new Bowline().sessions.create({ ttl: 60 })
 * const options: ConnectOptions = {
 *   signal: AbortSignal.timeout(10_000),
 *   onLost: (error) => console.error(error.message),
 * }
 * await using handles = await playwright.connect(session, options)
 * console.log(await handles.page.title())
 * ```
 */
export interface ConnectOptions extends Abortable {
  /**
   * Called with CONNECTION_LOST when the connection ends and the caller has not ended it: the
   * session has ended, or the connection was lost and could not be resumed.
   */
  readonly onLost?: ((error: BowlineError) => void) | undefined
}

/**
 * Connects a browser library to a session. Disposing of the handles disconnects; the session stays
 * alive.
 *
 * @example
 * ```ts
 * import { chromium, type Browser } from 'playwright-core'
 * import { Bowline, type Driver } from 'bowline'
 *
 * const browserOnly: Driver<{ readonly browser: Browser }> = {
 *   name: 'browser-only',
 *   connect: async ({ cdpUrl }) => {
 *     const browser = await chromium.connectOverCDP(cdpUrl)
 *     return { browser, [Symbol.asyncDispose]: async () => browser.close() }
 *   },
 * }
 *
 * await new Bowline().withSession({ ttl: 60, driver: browserOnly }, ({ browser }) =>
 *   console.log(browser.version()),
 * )
 * ```
 */
export interface Driver<Handles> {
  /** Name for messages, such as `playwright`. */
  readonly name: string
  /**
   * Connects to a session. Rejects with DRIVER_MISSING if the library is not installed, and with
   * DRIVER_FAILED if it cannot connect.
   */
  readonly connect: (session: DrivenSession, options?: ConnectOptions) => Promise<Handles & AsyncDisposable>
  /**
   * Prepares a connection for many tasks. Without this method, all tasks share the same handles.
   */
  reuse?(handles: Handles): Reuse<Handles>
}
