import { availableParallelism } from 'node:os'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { BrowserHost } from './host.ts'
import { launchBrowser, type Browser, type LaunchOptions } from './launch.ts'
import { readProcess } from './process-table.ts'

/** What the pool says about itself. Fits a pino logger. */
export interface PoolLog {
  readonly warn: (facts: object, message: string) => void
}

/** Options of `openBrowserPool`. */
export interface BrowserPoolOptions {
  readonly host: BrowserHost
  /** How many browsers wait ready. 0: every browser is launched when asked for. */
  readonly warm: number
  /** A browser that has waited this long is replaced. Default: 30 minutes. */
  readonly maxAgeMs?: number | undefined
  /** How many are started at once to refill the pool. Default: 1. */
  readonly maxRefills?: number | undefined
  /** How many are started at once for those who wait. Default: the number of processors and one more. */
  readonly maxStarts?: number | undefined
  /** How long a refill waits after a browser was taken, so that its start takes no processor from the first page. Default: 200 ms. */
  readonly refillDelayMs?: number | undefined
  /** How every browser is launched, such as with which proxy. */
  readonly launchOptions?: LaunchOptions | undefined
  readonly log: PoolLog
}

/** Counts of a pool. */
export interface PoolStats {
  /** Ready and not taken. */
  readonly warm: number
  readonly starting: number
  /** Taken and not yet gone. */
  readonly live: number
  /** Started since the pool was opened. */
  readonly launched: number
  /** Browsers of earlier runs that were killed at the start. */
  readonly orphansSwept: number
}

/** Browsers for one session each. Disposing kills whatever still runs. */
export interface BrowserPool extends AsyncDisposable {
  /** Takes a ready browser, else the first that becomes ready; one is launched for this call. The taker closes it. Aborting leaves it to the pool. */
  readonly take: (signal?: AbortSignal) => Promise<Browser>
  /** Launches a browser of its own kind, such as one with a profile. The caller closes it. */
  readonly launch: (options: LaunchOptions, signal?: AbortSignal) => Promise<Browser>
  readonly stats: () => PoolStats
  /** Resolves when the pool is full for the first time, or closed. */
  readonly whenWarm: Promise<void>
}

/** Opens a pool and starts to fill it. */
export function openBrowserPool(options: BrowserPoolOptions): BrowserPool {
  return new WarmPool(options)
}

interface Parked {
  readonly browser: Browser
  readonly retirement: NodeJS.Timeout
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
    // A refill under way may be ready before the browser that is launched for this call: first come, first served.
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
  })

  readonly [Symbol.asyncDispose] = async (): Promise<void> => {
    this.#closing.abort(closed())
    clearTimeout(this.#refillTimer)
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closed())
    await Promise.allSettled(this.#launches)
    const parked = this.#parked.splice(0)
    for (const { retirement } of parked) clearTimeout(retirement)
    await Promise.allSettled([...parked.map(({ browser }) => browser), ...this.#live].map(async (each) => each.kill()))
    await Promise.all(this.#discards)
    this.#becameWarm.resolve()
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw closed()
  }

  async #start(options: LaunchOptions, signal?: AbortSignal): Promise<Browser> {
    const { host, launchOptions } = this.#options
    const signals = [this.#closing.signal, ...(signal === undefined ? [] : [signal])]
    const launching = launchBrowser(host, { ...launchOptions, ...options }, AbortSignal.any(signals))
    this.#launches.add(launching)
    try {
      const browser = await launching
      this.#launched++
      return browser
    } finally {
      this.#launches.delete(launching)
    }
  }

  // Started a few at a time, the browsers of a crowd come one by one; started all at once, they all come late.
  #launchForWaiters(): void {
    const { maxStarts = availableParallelism() + 1 } = this.#options
    while (this.#urgent < Math.min(maxStarts, this.#waiters.length)) {
      this.#urgent++
      void this.#launchForPool().then(() => {
        this.#urgent--
        this.#launchForWaiters()
        // A refill that was due meanwhile has stood back, and no browser was handed out when the launch failed.
        this.#refillLater(0)
      })
    }
  }

  /** Launches a browser for whoever waits longest, else for the shelf. Never rejects. */
  async #launchForPool(): Promise<void> {
    try {
      const browser = await this.#start({})
      this.#failures = 0
      await this.#settle(browser)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      this.#failures++
      // With fewer other launches under way than there are waiters, the failure of one is the failure of the oldest.
      const others = this.#urgent + this.#refills - 1
      const waiter = this.#waiters.length > others ? this.#waiters.shift() : undefined
      if (waiter === undefined)
        this.#options.log.warn({ err: error, failures: this.#failures }, 'browser refill failed')
      else waiter.reject(error)
    }
  }

  async #settle(browser: Browser): Promise<void> {
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
    const retirement = setTimeout(() => this.#retire(browser), this.#options.maxAgeMs ?? defaultMaxAgeMs)
    retirement.unref()
    this.#parked.push({ browser, retirement })
    if (this.#parked.length >= this.#options.warm) this.#becameWarm.resolve()
    void browser.exited.then(({ code, signal }) => {
      if (!this.#parked.some((each) => each.browser === browser)) return
      // Browsers that die by themselves are replaced ever more slowly.
      this.#failures++
      this.#options.log.warn({ code, signal, failures: this.#failures }, 'a waiting browser died')
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
    for (const { retirement } of this.#parked.splice(index, 1)) clearTimeout(retirement)
  }

  #unparkFirst(): Browser | undefined {
    for (const { browser } of this.#parked) {
      // Its exit may not have been told yet.
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
    // It was handed out in the very moment of the abort, or its launch failed and there is nothing to take back.
    waiter.promise.then(
      (browser) => this.#discard(browser),
      () => undefined,
    )
  }

  /** Kills a browser in the background; closing the pool waits for it. */
  #discard(browser: Browser): void {
    const killing = browser.kill().catch((error: unknown) => {
      this.#options.log.warn({ err: error, pid: browser.pid }, 'could not clean up after a browser')
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

  /** Starts what is missing, a few at a time. */
  #refill(): void {
    const { warm, maxRefills = 1 } = this.#options
    if (this.#parked.length >= warm) this.#becameWarm.resolve()
    // Those who wait go first: their launches end here again.
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

function closed(): BowlineError {
  return new BowlineError('DRAINING', 'The browser pool is closed.')
}
