import { checkOptions, sessionNames, type OptionNames } from '../check-options.ts'
import type { CreateSessionOptions } from '../../contract/browser.ts'
import type { Abortable } from '../../kit/abort.ts'
import { BowlineError } from '../../kit/errors.ts'
import { longestTimerMs } from '../../kit/longest-timer.ts'
import { checkNumber } from '../config.ts'
import type { Driver } from '../driver.ts'
import type { PoolEvent, PoolProgress } from './outcome.ts'
import { defaultSessionPrice, type SessionPrice } from './session-price.ts'

/** How many attempts more an item gets. */
export interface RetryOptions {
  /** After the session or the service was lost. Default 3. */
  readonly infrastructure?: number | undefined
  /** After the work threw or took too long. Default 0. */
  readonly page?: number | undefined
  /** Milliseconds before the second attempt; doubled for each further one, and never less than `Retry-After`. Default 500. */
  readonly delayMs?: number | undefined
}

/** What one host is spared. */
export interface HostOptions {
  /** Items of one host at a time. Default: no limit. */
  readonly concurrency?: number | undefined
  /** Milliseconds from one start to the next on the same host. Default 0. */
  readonly delayMs?: number | undefined
}

/** How a pool works. Every limit holds for each run on its own. */
export interface PoolOptions<Handles = unknown> extends Abortable {
  /** Connects the sessions; the work gets what it connects to. */
  readonly driver?: Driver<Handles> | undefined
  /** Sessions at once, at most. Default 4. */
  readonly size?: number | undefined
  /** How sessions are created. A profile is written by one session at a time, unless `saveChanges` is false. */
  readonly session?: CreateSessionOptions | undefined
  /** Items after which a session is replaced. Default 100. */
  readonly maxUses?: number | undefined
  /** A session is replaced when a trivial operation on a page takes so many times what it took at first. Default 4; 0: never. */
  readonly maxDrift?: number | undefined
  /** Credits that the sessions may cost together. The run ends before it would cost more. Default: no limit. */
  readonly budget?: number | undefined
  /** What a session costs. Default: 2 credits a minute by the started half minute, at least 2. */
  readonly price?: SessionPrice | undefined
  /** Attempts after the first; a number stands for `{ infrastructure }`. */
  readonly retries?: number | RetryOptions | undefined
  /** What one host is spared. Default: nothing. */
  readonly perHost?: HostOptions | undefined
  /** Milliseconds one attempt may take; then its session is replaced, since the work may still use it. Default 60 000. */
  readonly timeoutMs?: number | undefined
  /** `completed`: outcomes as they come. `input`: in the order of the items. Default `completed`. */
  readonly order?: 'completed' | 'input' | undefined
  /** Whether the first item that fails ends the run, with its error. Default false. */
  readonly stopOnError?: boolean | undefined
  /**
   * File that keeps what is done, as lines of JSON, for one run at a time. A later run with it leaves out what was done, gives its
   * results, and ends the sessions that a killed one left.
   */
  readonly checkpoint?: string | undefined
  /** Called with each thing that happens. */
  readonly onProgress?: ((progress: PoolProgress, event: PoolEvent) => void) | undefined
}

/** What a pool works with: every option has its value. */
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

/** Fills in the defaults. Throws CONFIG_INVALID. */
export function resolvePoolOptions<Handles>(options: PoolOptions<Handles>): PoolSettings<Handles> {
  checkOptions('pool()', options, poolNames)
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
  throw new BowlineError('CONFIG_INVALID', `\`maxDrift\` is ${value}; it must be more than 1, or 0 for never`, {
    hint: 'Pass how many times slower than at first a session may get, such as 4.',
  })
}

function checkPrice(price: SessionPrice): SessionPrice {
  const { hour, minimum } = price
  if (Number.isFinite(hour) && hour >= 0 && Number.isFinite(minimum) && minimum >= 0) {
    // A begun credit is charged, and a budget always has none left for one more session that costs nothing.
    return { hour, minimum: hour === 0 ? minimum : Math.max(1, minimum) }
  }
  throw new BowlineError('CONFIG_INVALID', `\`price\` is ${JSON.stringify(price)}; it must be two numbers, 0 or more`, {
    hint: 'Pass credits for an hour and the least for a session, such as `{ hour: 120, minimum: 2 }`.',
  })
}

function checkBudget(value: number, price: SessionPrice): number {
  if (value >= price.minimum) return value
  throw new BowlineError('CONFIG_INVALID', `\`budget\` is ${value}; one session costs at least ${price.minimum}`, {
    hint: 'Raise `budget`, or leave it out for no limit.',
  })
}
