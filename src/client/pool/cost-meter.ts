import { longestTimerMs } from '../../kit/longest-timer.ts'
import type { Budget } from './budget.ts'
import { paidMs, type SessionPrice } from './session-price.ts'

/**
 * How long before the end of the paid time the next credit is reserved, in milliseconds: long
 * enough for a deletion.
 */
const marginMs = 5000

/**
 * Meters the cost of one live session. Disposing stops the timer; the reservation stays until it is
 * settled.
 */
export interface CostMeter extends Disposable {
  /** Milliseconds until the next credit is due. */
  readonly leftMs: () => number
  /** Whether the budget covers the next credit. */
  readonly canAffordNextCredit: () => boolean
  /**
   * Settles the reservation with the bill, if known. Returns the credits that count. Call it once,
   * at the end.
   */
  readonly settle: (creditsBilled: number | undefined) => number
}

/**
 * Starts metering, before the session is created. The minimum price must be reserved already.
 * Shortly before the paid time ends, an idle session is ended (`onIdle`); a busy one reserves
 * another credit, or is stopped if the budget is spent (`onOverBudget`).
 */
export function startCostMeter(deps: {
  readonly budget: Budget
  readonly price: SessionPrice
  readonly isIdle: () => boolean
  readonly onIdle: () => void
  /** Called with the credits that were reserved for the session. */
  readonly onOverBudget: (reserved: number) => void
}): CostMeter {
  const { budget, price } = deps
  const startedAt = performance.now()
  let reserved = price.minimum
  let timer: NodeJS.Timeout
  const leftMs = (): number => startedAt + paidMs(price, reserved) - performance.now()
  const schedule = (): void => {
    timer = setTimeout(renewOrStop, Math.min(longestTimerMs, Math.max(0, leftMs() - marginMs)))
  }
  const renewOrStop = (): void => {
    if (leftMs() > marginMs) return schedule()
    if (deps.isIdle()) return deps.onIdle()
    if (!budget.tryReserve(1)) return deps.onOverBudget(reserved)
    reserved += 1
    schedule()
  }
  schedule()
  return {
    leftMs,
    canAffordNextCredit: () => budget.has(1),
    settle: (creditsBilled = reserved) => {
      budget.settle(reserved, creditsBilled)
      return creditsBilled
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
