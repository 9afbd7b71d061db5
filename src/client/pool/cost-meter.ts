import { longestTimerMs } from '../../kit/longest-timer.ts'
import type { Budget } from './budget.ts'
import { paidMs, type SessionPrice } from './session-price.ts'

/** Milliseconds before the end of what is paid at which it is decided whether to pay more: time enough for a deletion. */
const marginMs = 5000

/** What one session costs as it lives. Disposing stops it; the reservation stays until it is settled. */
export interface CostMeter extends Disposable {
  /** Milliseconds until more has to be paid. */
  readonly leftMs: () => number
  /** Whether the budget would pay for the next stretch. */
  readonly canGoOn: () => boolean
  /** Call once at the end, with the bill when the service tells it. Tells what counts. */
  readonly settle: (creditsBilled: number | undefined) => number
}

/**
 * Starts to count, before the session is created; its minimum must be reserved already. Each time the paid stretch is about
 * to end, an idle session is given up (`onIdle`), and a busy one is paid for or, when the budget is short, stopped (`onShort`).
 */
export function startCostMeter(deps: {
  readonly budget: Budget
  readonly price: SessionPrice
  readonly isIdle: () => boolean
  readonly onIdle: () => void
  /** Gets the credits that the session had. */
  readonly onShort: (reserved: number) => void
}): CostMeter {
  const { budget, price } = deps
  const startedAt = performance.now()
  let reserved = price.minimum
  let timer: NodeJS.Timeout
  const leftMs = (): number => startedAt + paidMs(price, reserved) - performance.now()
  const arm = (): void => {
    timer = setTimeout(decide, Math.min(longestTimerMs, Math.max(0, leftMs() - marginMs)))
  }
  const decide = (): void => {
    if (leftMs() > marginMs) return arm()
    if (deps.isIdle()) return deps.onIdle()
    if (!budget.tryReserve(1)) return deps.onShort(reserved)
    reserved += 1
    arm()
  }
  arm()
  return {
    leftMs,
    canGoOn: () => budget.has(1),
    settle: (creditsBilled = reserved) => {
      budget.settle(reserved, creditsBilled)
      return creditsBilled
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
