import type { PoolSettings } from './options.ts'
import { priceOf } from './session-price.ts'

/**
 * Load for `pool.estimate()`.
 *
 * @example
 * ```ts
 * import { Bowline, type PoolLoad } from 'bowline'
 * import { playwright } from 'bowline/playwright'
 *
 * const load: PoolLoad = { items: 500, itemMs: 4000 }
 * const { credits } = new Bowline().pool({ driver: playwright, size: 4 }).estimate(load)
 * ```
 */
export interface PoolLoad {
  /** Number of items. */
  readonly items: number
  /** Expected duration of one item in milliseconds. */
  readonly itemMs: number
}

/**
 * Expected cost of a run without failures.
 *
 * @example
 * ```ts
 * import { Bowline, type PoolEstimate } from 'bowline'
 *
 * import { playwright } from 'bowline/playwright'
 *
 * const pool = new Bowline().pool({ driver: playwright, size: 4, budget: 200 })
 * const { credits, elapsedMs, affordable }: PoolEstimate = pool.estimate({
 *   items: 1000,
 *   itemMs: 2000,
 * })
 * console.log(
 *   `${credits} credits, ${elapsedMs / 60_000} minutes; the budget covers ${affordable} items`,
 * )
 * ```
 */
export interface PoolEstimate {
  /** Number of sessions, replaced ones included. */
  readonly sessions: number
  readonly credits: number
  /** Duration of the run in milliseconds. */
  readonly elapsedMs: number
  /** Number of items that the budget covers. */
  readonly affordable: number
}

/** Approximate time for opening a session or the next page, in milliseconds. */
const overheadMs = 100

/** Distributes the items over sessions and adds up their prices. */
export function estimatePool(
  settings: Pick<PoolSettings<unknown>, 'size' | 'maxUses' | 'price' | 'budget'>,
  { items, itemMs }: PoolLoad,
): PoolEstimate {
  const stepMs = itemMs + overheadMs
  const workers = Math.min(settings.size, items)
  let sessions = 0
  let credits = 0
  for (let worker = 0; worker < workers; worker += 1) {
    const share = Math.floor(items / workers) + (worker < items % workers ? 1 : 0)
    const whole = Math.floor(share / settings.maxUses)
    const rest = share % settings.maxUses
    sessions += whole + (rest > 0 ? 1 : 0)
    credits +=
      whole * priceOf(settings.price, settings.maxUses * stepMs) +
      (rest > 0 ? priceOf(settings.price, rest * stepMs) : 0)
  }
  const elapsedMs = Math.ceil(items / Math.max(1, workers)) * stepMs
  const isWithin = settings.budget === undefined || credits <= settings.budget
  const affordable = isWithin ? items : Math.floor((items * (settings.budget ?? 0)) / credits)
  return { sessions, credits, elapsedMs, affordable }
}
