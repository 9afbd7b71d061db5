import { tokensPerCredit } from 'bowline/contract/usage'
import { listCosts } from '../../usage/costs.ts'
import { usageHistory, type HistoryOptions } from '../../usage/history.ts'
import { teamLoad, type TeamLoadDeps } from '../team-load.ts'
import type { Call, Handlers } from '../register.ts'

/** Routes of usage history, queue and concurrency. */
export function usageHandlers(deps: TeamLoadDeps): Handlers {
  const historyOf = async ({ key }: Call, query: HistoryOptions) => usageHistory(deps.store, key.teamId, query)

  return {
    creditHistory: async ({ query }, call) => ({
      success: true,
      periods: (await historyOf(call, query)).map(({ startDate, endDate, apiKey, kind, credits }) => {
        return { startDate, endDate, apiKey, kind, totalCredits: credits, creditsUsed: credits }
      }),
    }),
    tokenHistory: async ({ query }, call) => ({
      success: true,
      periods: (await historyOf(call, query)).map(({ startDate, endDate, apiKey, kind, credits }) => {
        const tokens = credits * tokensPerCredit
        return { startDate, endDate, apiKey, kind, totalTokens: tokens, tokensUsed: tokens }
      }),
    }),
    listCosts: async ({ query: { from, to, limit } }, { key }) => ({
      success: true,
      data: [
        ...(await listCosts(deps.store, key.teamId, {
          from: from === undefined ? undefined : new Date(from),
          to: to === undefined ? undefined : new Date(to),
          limit,
        })),
      ],
    }),
    queueStatus: async (_input, { key }) => {
      const { running, waiting, maxConcurrency, lastBilledAt } = await teamLoad(deps, key.teamId)
      return {
        success: true,
        jobsInQueue: running + waiting,
        activeJobsInQueue: running,
        waitingJobsInQueue: waiting,
        maxConcurrency,
        mostRecentSuccess: lastBilledAt?.toISOString() ?? null,
      }
    },
    concurrencyCheck: async (_input, { key }) => {
      const { running, maxConcurrency } = await teamLoad(deps, key.teamId)
      return { success: true, concurrency: running, maxConcurrency }
    },
  }
}
