import type { Billing } from '../billing/billing.ts'
import { countOpenPages } from '../jobs/job-queries.ts'
import { lastBilledAt } from '../billing/ledger.ts'
import { listNodes } from '../nodes/node-queries.ts'
import { findTeam } from '../teams/team-queries.ts'
import type { Store } from '../store/store.ts'

/** Dependencies of `teamLoad`. */
export interface TeamLoadDeps {
  readonly store: Store
  readonly billing: Pick<Billing, 'running' | 'waiting'>
}

/** Current load of a team. */
export interface TeamLoad {
  /** Running sessions and scrapes. */
  readonly running: number
  /** Scrapes waiting for a slot, and pending pages of batches and crawls. */
  readonly waiting: number
  /** Concurrency limit of the team. Default: the session slots of all servers. */
  readonly maxConcurrency: number
  /** Time of the team's last bill. */
  readonly lastBilledAt: Date | undefined
}

/**
 * Returns the current load of a team. For teams without limits, only counts scrapes on this server.
 */
export async function teamLoad({ store, billing }: TeamLoadDeps, teamId: string): Promise<TeamLoad> {
  const [team, nodes, billedAt, openPages] = await Promise.all([
    findTeam(store.db, teamId),
    listNodes(store.db),
    lastBilledAt(store.db, teamId),
    countOpenPages(store.db, teamId),
  ])
  const { activeSessions = 0, activeScrapes = 0, maxConcurrency } = team ?? {}
  const slots = nodes.reduce((sum, node) => sum + node.slots, 0)
  const scrapes = Math.max(activeScrapes, billing.running(teamId))
  return {
    running: activeSessions + scrapes,
    // `openPages` includes batch pages that already wait for a slot, so the two are not added up.
    waiting: Math.max(billing.waiting(teamId), openPages - scrapes),
    maxConcurrency: maxConcurrency ?? slots,
    lastBilledAt: billedAt,
  }
}
