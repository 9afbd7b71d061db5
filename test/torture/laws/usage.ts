import type { Fleet } from '../fleet.ts'
import { get } from './settle.ts'

/** Compares the balance of the team with its usage, as the API reports them. */
export async function checkUsage(fleet: Fleet): Promise<readonly string[]> {
  const balance = (await get(fleet, '/v2/team/credit-usage'))?.['data'] as
    | { remainingCredits: number; reservedCredits: number }
    | undefined
  const history = (await get(fleet, '/v2/team/credit-usage/historical'))?.['periods'] as
    | { creditsUsed: number }[]
    | undefined
  if (balance === undefined || history === undefined) return ['the balance or the usage of the team cannot be read']
  const used = history.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0)
  const spent = fleet.credits - balance.remainingCredits - balance.reservedCredits
  return used === spent ? [] : [`${spent} credits are spent, but the usage has ${used}`]
}
