import { checkDriver, checkOptions, sessionNames, type OptionNames } from '../check-options.ts'
import type { CreateSessionOptions } from '../../contract/session-options.ts'
import type { Abortable } from '../../kit/abort.ts'
import { BowlineError } from '../../kit/errors.ts'
import { longestTimerMs } from '../../kit/longest-timer.ts'
import { checkNumber } from '../config.ts'
import type { Driver } from '../driver.ts'
import type { PoolEvent, PoolProgress } from './outcome.ts'
import { defaultSessionPrice, type SessionPrice } from './session-price.ts'

/**
 * Retries of a failed item.
 *
 * @example
 * ```ts
 * import { Bowline, type RetryOptions } from 'bowline'
 *
 * const retries: RetryOptions = { infrastructure: 5, page: 1, delayMs: 1000 }
 * new Bowline().pool({ retries })
 * ```
 */
export interface RetryOptions {
  /** Retries after the session or the service was lost. Default: 3. */
  readonly infrastructure?: number | undefined
  /** Retries after the work threw or timed out. Default: 0. */
  readonly page?: number | undefined
  /**
   * Delay before the first retry in milliseconds. It doubles with each retry, and is at least
   * `Retry-After`. Default: 500.
   */
  readonly delayMs?: number | undefined
}

/**
 * Limits per host.
 *
 * @example
 * ```ts
 * import { Bowline, type HostOptions } from 'bowline'
 *
 * const perHost: HostOptions = { concurrency: 2, delayMs: 500 }
 * new Bowline().pool({ perHost })
 * ```
 */
export interface HostOptions {
  /** Maximum number of concurrent items per host. Default: no limit. */
  readonly concurrency?: number | undefined
  /** Minimum time between two starts on the same host, in milliseconds. Default: 0. */
  readonly delayMs?: number | undefined
}

/**
 * Options of `bowline.pool()`. All limits apply to each run separately.
 *
 * @example
 * ```ts
 * import { Bowline, type PoolOptions } from 'bowline'
 * import { playwright, type PlaywrightHandles } from 'bowline/playwright'
 *
 * const options: PoolOptions<PlaywrightHandles> = {
 *   driver: playwright,
 *   size: 2,
 *   session: { ttl: 300 },
 *   budget: 50,
 *   retries: { infrastructure: 3, page: 1 },
 *   perHost: { concurrency: 2, delayMs: 100 },
 *   timeoutMs: 30_000,
 *   onProgress: ({ done, failed, credits }) => console.log(done, failed, credits),
 * }
 * const run = new Bowline().pool(options).run(['https://example.com'], async (url, { page }) => {
 *   await page.goto(url)
 * })
 * console.log(await run.done())
 * ```
 */
export interface PoolOptions<Handles = unknown> extends Abortable {
  /** Connects a browser library, such as `playwright`. The function receives its handles. */
  readonly driver?: Driver<Handles> | undefined
  /** Maximum number of concurrent sessions. Default: 4. */
  readonly size?: number | undefined
  /**
   * Session options. Only one session at a time writes a profile, unless `saveChanges` is false.
   */
  readonly session?: CreateSessionOptions | undefined
  /** Number of items after which a session is replaced. Default: 100. */
  readonly maxUses?: number | undefined
  /**
   * A session is replaced when a trivial operation on a page takes this many times as long as at
   * first. 0 disables this. Default: 4.
   */
  readonly maxDrift?: number | undefined
  /**
   * Maximum cost of the run in credits. The run ends before it would exceed this. Default: no
   * limit.
   */
  readonly budget?: number | undefined
  /** Price of a session. Default: 120 credits per hour, at least 2 per session. */
  readonly price?: SessionPrice | undefined
  /** Retries of failed items. A number sets `infrastructure`. */
  readonly retries?: number | RetryOptions | undefined
  /** Limits per host. Default: none. */
  readonly perHost?: HostOptions | undefined
  /**
   * Time limit of one attempt in milliseconds. After a timeout the session is replaced, since the
   * work may still use it. Default: 60000.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Order of the outcomes: `completed` as items finish, `input` as the items were given.
   * Default: `completed`.
   */
  readonly order?: 'completed' | 'input' | undefined
  /** End the run with the error of the first failed item. Default: false. */
  readonly stopOnError?: boolean | undefined
  /**
   * Path of a JSON Lines file that records completed items and sessions. A later run with the same
   * file skips completed items, returns their results and repeats their calls of `add`. It runs
   * failed items again, and deletes sessions that a killed run left behind. Only one run at a time
   * may use the file.
   */
  readonly checkpoint?: string | undefined
  /** Called after every event of the run. An exception becomes a warning. */
  readonly onProgress?: ((progress: PoolProgress, event: PoolEvent) => void) | undefined
}

/** Pool options with all defaults filled in. */
export interface PoolSettings<Handles> extends PoolOptions<Handles> {
  readonly size: number
  readonly session: CreateSessionOptions
  readonly maxUses: number
  readonly maxDrift: number
  readonly price: SessionPrice
  readonly retries: { readonly infrastructure: number; readonly page: number; readonly delayMs: number }
  readonly perHost: HostOptions
  readonly timeoutMs: number
  readonly order: 'completed' | 'input'
}

/** Validates the options and fills in defaults. Throws CONFIG_INVALID. */
export function resolvePoolOptions<Handles>(options: PoolOptions<Handles>): PoolSettings<Handles> {
  checkOptions('pool()', options, poolNames)
  checkDriver('pool()', options.driver)
  checkOptions('`session` of pool()', options.session, sessionNames)
  const price = checkPrice(options.price ?? defaultSessionPrice)
  if (typeof options.retries === 'object') checkOptions('`retries` of pool()', options.retries, retryNames)
  checkOptions('`perHost` of pool()', options.perHost, hostNames)
  const retries = typeof options.retries === 'number' ? { infrastructure: options.retries } : (options.retries ?? {})
  const { concurrency, delayMs } = options.perHost ?? {}
  return {
    ...options,
    size: checkNumber('size', options.size ?? 4, 1),
    session: options.session ?? {},
    maxUses: checkNumber('maxUses', options.maxUses ?? 100, 1),
    maxDrift: checkDrift(options.maxDrift ?? 4),
    price,
    budget: options.budget === undefined ? undefined : checkBudget(options.budget, price),
    retries: {
      infrastructure: checkNumber('retries.infrastructure', retries.infrastructure ?? 3, 0),
      page: checkNumber('retries.page', retries.page ?? 0, 0),
      delayMs: checkNumber('retries.delayMs', retries.delayMs ?? 500, 0),
    },
    perHost: {
      concurrency: concurrency === undefined ? undefined : checkNumber('perHost.concurrency', concurrency, 1),
      delayMs: checkNumber('perHost.delayMs', delayMs ?? 0, 0),
    },
    timeoutMs: Math.min(longestTimerMs, checkNumber('timeoutMs', options.timeoutMs ?? 60_000, 1)),
    order: options.order ?? 'completed',
  }
}

const poolNames: OptionNames<PoolOptions> = {
  driver: true,
  size: true,
  session: true,
  maxUses: true,
  maxDrift: true,
  budget: true,
  price: true,
  retries: true,
  perHost: true,
  timeoutMs: true,
  order: true,
  stopOnError: true,
  checkpoint: true,
  onProgress: true,
  signal: true,
}

const retryNames: OptionNames<RetryOptions> = { infrastructure: true, page: true, delayMs: true }

const hostNames: OptionNames<HostOptions> = { concurrency: true, delayMs: true }

function checkDrift(value: number): number {
  if (value === 0 || value > 1) return value
  throw new BowlineError('CONFIG_INVALID', `\`maxDrift\` must be greater than 1, or 0 to disable it, got ${value}`, {
    hint: 'Pass a factor such as 4: sessions that become 4 times slower are replaced.',
  })
}

function checkPrice(price: SessionPrice): SessionPrice {
  const { hour, minimum } = price
  if (Number.isFinite(hour) && hour >= 0 && Number.isFinite(minimum) && minimum >= 0) {
    // Each started credit is charged, so a session costs at least one. With a minimum of 0, sessions
    // would open after the budget is spent.
    return { hour, minimum: hour === 0 ? minimum : Math.max(1, minimum) }
  }
  throw new BowlineError(
    'CONFIG_INVALID',
    `\`price\` must have two numbers of at least 0, got ${JSON.stringify(price)}`,
    {
      hint: 'Pass credits per hour and the minimum per session, such as `{ hour: 120, minimum: 2 }`.',
    },
  )
}

function checkBudget(value: number, price: SessionPrice): number {
  if (value >= price.minimum) return value
  throw new BowlineError(
    'CONFIG_INVALID',
    `\`budget\` must be at least ${price.minimum}, the price of one session, got ${value}`,
    {
      hint: 'Raise `budget`, or omit it for no limit.',
    },
  )
}
