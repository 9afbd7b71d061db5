import { expect, test } from 'vitest'
import { Budget, BudgetExceeded } from '../../src/agent/budget.ts'

function create(maxCredits: number, { available = Infinity, held = 0 } = {}): { budget: Budget; raised: () => number } {
  let left = available
  let raised = 0
  const raise = async (credits: number): Promise<boolean> => {
    await Promise.resolve()
    if (credits > left) return false
    left -= credits
    raised += credits
    return true
  }
  return { budget: new Budget({ maxCredits, held, spent: 0, spentInSessions: 0, raise }), raised: () => raised }
}

test('reservations side by side stay below the maximum, and what they did not spend is free again', async () => {
  const { budget, raised } = create(20, { held: 5 })

  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, async () => budget.reserve(6)))

  const shares = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value)
  expect([shares.length, budget.left, raised()]).toEqual([3, 2, 13])
  for (const share of shares) share.settle(1)
  expect([budget.left, budget.spent]).toEqual([17, 3])
})

test('sessions count towards the maximum, but not towards the hold', async () => {
  const { budget, raised } = create(20)

  const session = budget.reserveForSession(12)

  await expect(budget.reserve(9)).rejects.toMatchObject({ limit: 'max-credits' })
  expect(() => budget.reserveForSession(9)).toThrow(BudgetExceeded)
  expect(raised()).toBe(0)
  session.settle(50)
  expect([budget.left, budget.spent]).toEqual([8, 12])
})

test('a team that cannot pay ends the reservation alone', async () => {
  const { budget } = create(100, { available: 10 })

  await expect(budget.reserve(11)).rejects.toMatchObject({ limit: 'team' })
  const share = await budget.reserve(10)
  share.settle(10)

  expect(budget.left).toBe(90)
})
