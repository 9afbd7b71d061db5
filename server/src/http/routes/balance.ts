import { tokensPerCredit, unmeteredCredits } from 'bowline/contract/usage'
import type { Store } from '../../store/store.ts'
import { findTeam } from '../../teams/team-queries.ts'
import { unreserved } from '../../billing/account.ts'
import type { Call, Handlers } from '../register.ts'

/** Routes of the credit and token balance. */
export function balanceHandlers({ store }: { readonly store: Store }): Handlers {
  const balanceOf = async ({ key }: Call) => {
    const team = await findTeam(store.db, key.teamId)
    const { credits, planCredits = credits, reservedCredits = 0 } = team ?? {}
    const unmetered = credits === undefined
    const remaining = unmetered ? unmeteredCredits : unreserved({ credits, reservedCredits })
    return { remaining, plan: planCredits ?? unmeteredCredits, unmetered, reservedCredits }
  }

  return {
    creditUsage: async (_input, call) => {
      const { remaining, plan, ...more } = await balanceOf(call)
      return { success: true, data: { remainingCredits: remaining, planCredits: plan, ...noPeriod, ...more } }
    },
    creditUsageV1: async (_input, call) => {
      const { remaining, plan } = await balanceOf(call)
      return { success: true, data: { remaining_credits: remaining, plan_credits: plan, ...noPeriodV1 } }
    },
    tokenUsage: async (_input, call) => {
      const { remaining, plan } = await balanceOf(call)
      const data = { remainingTokens: remaining * tokensPerCredit, planTokens: plan * tokensPerCredit }
      return { success: true, data: { ...data, ...noPeriod } }
    },
    tokenUsageV1: async (_input, call) => {
      const { remaining, plan } = await balanceOf(call)
      const data = { remaining_tokens: remaining * tokensPerCredit, plan_tokens: plan * tokensPerCredit }
      return { success: true, data: { ...data, ...noPeriodV1 } }
    },
  }
}

/** Balances have no billing periods. */
const noPeriod = { billingPeriodStart: null, billingPeriodEnd: null } as const
const noPeriodV1 = { billing_period_start: null, billing_period_end: null } as const
