import { availableParallelism } from 'node:os'
import { abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { explainDiskFull } from '../kit/disk-full.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import { timed } from '../metrics/timed.ts'
import type { BrowserHost } from './host.ts'
import { launchBrowser, type Browser, type LaunchOptions } from './launch.ts'
import { readProcess } from './process-table.ts'

/** Logger of the pool. Compatible with pino. */
export interface PoolLog {
  readonly warn: (facts: object, message: string) => void
}

/** Options of `openBrowserPool`. */
export interface BrowserPoolOptions {
  readonly host: BrowserHost
  /** Number of browsers to keep ready. 0: browsers are launched on demand. */
  readonly warm: number
  /** Age at which an unused browser is replaced. Default: 30 minutes. */
  readonly maxAgeMs?: number | undefined
  /** Number of browsers to launch at once when refilling. Default: 1. */
  readonly maxRefills?: number | undefined
  /**
   * Number of browsers to launch at once for waiting callers. Default: the number of processors
   * plus one.
   */
  readonly maxStarts?: number | undefined
  /**
   * Delay of a refill after a browser was taken, so that its start does not slow down the first
   * page. Default: 200 ms.
   */
  readonly refillDelayMs?: number | undefined
  /** Options of every launch, such as the proxy. */
  readonly launchOptions?: LaunchOptions | undefined
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
  readonly log: PoolLog
}

/** Counts of a pool. */
export interface PoolStats {
  /** Ready and unused. */
  readonly warm: number
  readonly starting: number
  /** Taken and still running. */
  readonly live: number
  /** Launched since the pool was opened. */
  readonly launched: number
  /** Browsers of previous runs that were killed at startup. */
  readonly orphansSwept: number
  /** Browsers of the pool that failed since one last started. */
  readonly failedInARow: number
}

/** Browsers for one session each. Disposing kills all that still run. */
export interface BrowserPool extends AsyncDisposable {
  /**
   * Takes a ready browser, or waits for the next one and launches one for this call. The caller
   * closes it. If `signal` aborts, the browser stays in the pool.
   */
  readonly take: (signal?: AbortSignal) => Promise<Browser>
  /** Launches a browser with its own options, such as a profile. The caller closes it. */
  readonly launch: (options: LaunchOptions, signal?: AbortSignal) => Promise<Browser>
  readonly stats: () => PoolStats
  /** Ids of the browsers that were taken and still run. */
  readonly liveIds: () => readonly string[]
  /** Ids of the browsers that wait for a session. */
  readonly warmIds: () => readonly string[]
  /** Resolves when the pool is full for the first time or is closed. */
  readonly whenWarm: Promise<void>
}

/** Opens a pool and starts filling it. */
export function openBrowserPool(options: BrowserPoolOptions): BrowserPool {
  return new WarmPool(options)
}

interface Parked {
  readonly browser: Browser
  readonly expiry: NodeJS.Timeout
}

const defaultMaxAgeMs = 30 * 60_000
const longestBackoffMs = 30_000
const firstBackoffMs = 250

class WarmPool implements BrowserPool {
  readonly whenWarm: Promise<void>
  readonly #options: BrowserPoolOptions
  readonly #parked: Parked[] = []
  readonly #waiters: PromiseWithResolvers<Browser>[] = []
  readonly #live = new Set<Browser>()
  readonly #launches = new Set<Promise<unknown>>()
  readonly #discards = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  readonly #becameWarm = Promise.withResolvers<void>()
  #refills = 0
  #urgent = 0
  #launched = 0
  #failures = 0
  #refillTimer: NodeJS.Timeout | undefined

  constructor(options: BrowserPoolOptions) {
    this.#options = options
    this.whenWarm = this.#becameWarm.promise
    this.#refill()
  }

  readonly take = async (signal?: AbortSignal): Promise<Browser> => {
    signal?.throwIfAborted()
    this.#assertOpen()
    const parked = this.#unparkFirst()
    if (parked !== undefined) {
      this.#refillLater(this.#options.refillDelayMs ?? 200)
      return parked
    }
    // A refill in progress may be ready before the browser launched for this call. The first one is
    // taken.
    const waiter = Promise.withResolvers<Browser>()
    this.#waiters.push(waiter)
    this.#launchForWaiters()
    try {
      return await abortable(waiter.promise, signal)
    } catch (error) {
      this.#giveUp(waiter)
      throw error
    }
  }

  readonly launch = async (options: LaunchOptions, signal?: AbortSignal): Promise<Browser> => {
    this.#assertOpen()
    const browser = await this.#start(options, signal)
    this.#handOut(browser)
    return browser
  }

  readonly stats = (): PoolStats => ({
    warm: this.#parked.length,
    starting: this.#launches.size,
    live: this.#live.size,
    launched: this.#launched,
    orphansSwept: this.#options.host.swept.browsersKilled,
    failedInARow: this.#failures,
  })

  readonly liveIds = (): readonly string[] => [...this.#live].map(({ id }) => id)

  readonly warmIds = (): readonly string[] => this.#parked.map(({ browser }) => browser.id)

  readonly [Symbol.asyncDispose] = async (): Promise<void> => {
    this.#closing.abort(poolClosed())
    clearTimeout(this.#refillTimer)
    for (const waiter of this.#waiters.splice(0)) waiter.reject(poolClosed())
    await Promise.allSettled(this.#launches)
    const parked = this.#parked.splice(0)
    for (const { expiry } of parked) clearTimeout(expiry)
    await Promise.allSettled([...parked.map(({ browser }) => browser), ...this.#live].map(async (each) => each.kill()))
    await Promise.all(this.#discards)
    this.#becameWarm.resolve()
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw poolClosed()
  }

  async #start(options: LaunchOptions, signal?: AbortSignal): Promise<Browser> {
    const { host, launchOptions, metrics } = this.#options
    const closingOrAborted = mergeSignals(this.#closing.signal, signal)
    const failureOf = () => (closingOrAborted.aborted ? 'cancelled' : 'error')
    const launching = timed(metrics, { name: 'bowline_browser_start_seconds', failureOf }, async () =>
      launchBrowser(host, { ...launchOptions, ...options }, closingOrAborted),
    ).catch((error: unknown): never => {
      throw explainDiskFull(error)
    })
    this.#launches.add(launching)
    try {
      const browser = await launching
      this.#launched++
      return browser
    } finally {
      this.#launches.delete(launching)
    }
  }

  // Launched a few at a time, the browsers of a burst become ready one by one. Launched all at
  // once, all are late.
  #launchForWaiters(): void {
    const { maxStarts = availableParallelism() + 1 } = this.#options
    while (this.#urgent < Math.min(maxStarts, this.#waiters.length)) {
      this.#urgent++
      void this.#launchForPool().then(() => {
        this.#urgent--
        this.#launchForWaiters()
        // A refill that was due meanwhile was skipped, and a failed launch handed out no browser.
        this.#refillLater(0)
      })
    }
  }

  /** Launches a browser for the caller that waits longest, else for the pool. Never rejects. */
  async #launchForPool(): Promise<void> {
    try {
      const browser = await this.#start({})
      this.#failures = 0
      await this.#assign(browser)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      this.#failures++
      // If fewer other launches are in progress than callers wait, this failure is reported to the
      // oldest caller.
      const others = this.#urgent + this.#refills - 1
      const waiter = this.#waiters.length > others ? this.#waiters.shift() : undefined
      if (waiter === undefined)
        this.#options.log.warn({ err: error, failures: this.#failures }, 'browser refill failed')
      else waiter.reject(error)
    }
  }

  async #assign(browser: Browser): Promise<void> {
    if (this.#closing.signal.aborted) return browser.kill()
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) {
      this.#handOut(browser)
      waiter.resolve(browser)
      this.#refillLater(this.#options.refillDelayMs ?? 200)
      return
    }
    if (this.#parked.length >= this.#options.warm) return browser.kill()
    this.#park(browser)
  }

  #park(browser: Browser): void {
    const expiry = setTimeout(() => this.#retire(browser), this.#options.maxAgeMs ?? defaultMaxAgeMs)
    expiry.unref()
    this.#parked.push({ browser, expiry })
    if (this.#parked.length >= this.#options.warm) this.#becameWarm.resolve()
    void browser.exited.then(({ code, signal }) => {
      if (!this.#parked.some((parked) => parked.browser === browser)) return
      // Browsers that exit on their own are replaced more and more slowly.
      this.#failures++
      this.#options.log.warn({ code, signal, failures: this.#failures }, 'an idle browser exited')
      this.#retire(browser)
    })
  }

  #retire(browser: Browser): void {
    this.#unpark(browser)
    this.#discard(browser)
    this.#refillLater(0)
  }

  #unpark(browser: Browser): void {
    const index = this.#parked.findIndex((each) => each.browser === browser)
    for (const { expiry } of this.#parked.splice(index, 1)) clearTimeout(expiry)
  }

  #unparkFirst(): Browser | undefined {
    for (const { browser } of this.#parked) {
      // Its exit event may still be pending.
      const hasDied = readProcess(browser.pid)?.state === 'Z'
      if (hasDied) continue
      this.#unpark(browser)
      this.#handOut(browser)
      return browser
    }
    return undefined
  }

  #handOut(browser: Browser): void {
    this.#live.add(browser)
    void browser.exited.then(() => this.#live.delete(browser))
  }

  #giveUp(waiter: PromiseWithResolvers<Browser>): void {
    const index = this.#waiters.indexOf(waiter)
    if (index !== -1) {
      this.#waiters.splice(index, 1)
      return
    }
    // The browser was handed out just as the signal aborted, or its launch failed and there is
    // nothing to discard.
    waiter.promise.then(
      (browser) => this.#discard(browser),
      () => undefined,
    )
  }

  /** Kills a browser in the background. Disposing the pool waits for it. */
  #discard(browser: Browser): void {
    const killing = browser.kill().catch((error: unknown) => {
      this.#options.log.warn({ err: error, pid: browser.pid }, 'failed to kill a browser')
    })
    this.#discards.add(killing)
    void killing.then(() => this.#discards.delete(killing))
  }

  #refillLater(delayMs: number): void {
    const backoffMs = this.#failures === 0 ? 0 : Math.min(longestBackoffMs, firstBackoffMs * 2 ** (this.#failures - 1))
    if (this.#refillTimer !== undefined || this.#closing.signal.aborted) return
    this.#refillTimer = setTimeout(
      () => {
        this.#refillTimer = undefined
        this.#refill()
      },
      Math.max(delayMs, backoffMs),
    )
    this.#refillTimer.unref()
  }

  /** Launches missing browsers, a few at a time. */
  #refill(): void {
    const { warm, maxRefills = 1 } = this.#options
    if (this.#parked.length >= warm) this.#becameWarm.resolve()
    // Waiting callers go first. Their launches call this again.
    if (this.#waiters.length > 0) return
    while (this.#refills < maxRefills && this.#parked.length + this.#refills < warm) {
      this.#refills++
      void this.#launchForPool().then(() => {
        this.#refills--
        this.#refillLater(0)
      })
    }
  }
}

function poolClosed(): BowlineError {
  return new BowlineError('DRAINING', 'The browser pool is closed.')
}
