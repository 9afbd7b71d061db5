import type { PoolSettings } from './options.ts'
import { priceOf } from './session-price.ts'

/** What a pool is to do. */
export interface PoolLoad {
  readonly items: number
  /** Milliseconds one item takes, as far as you know. */
  readonly itemMs: number
}

/** What that will cost, when nothing fails. */
export interface PoolEstimate {
  readonly sessions: number
  readonly credits: number
  readonly elapsedMs: number
  /** Items that the budget pays for. */
  readonly affordable: number
}

/** Milliseconds for opening a session and for the next page, roughly. */
const overheadMs = 100

/** Spreads the items over the sessions and prices them. */
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
