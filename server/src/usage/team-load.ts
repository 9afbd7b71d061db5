import { countOpenPages } from '../store/jobs.ts'
import { lastBilledAt } from '../store/usage.ts'
import { listNodes } from '../store/nodes.ts'
import { findTeam } from '../store/teams.ts'
import type { Store } from '../store/store.ts'
import type { WorkPermits } from './work-permits.ts'

/** What tells how busy a team is. */
export interface TeamLoadDeps {
  readonly store: Store
  readonly permits: Pick<WorkPermits, 'running' | 'waiting'>
}

/** How busy a team is. */
export interface TeamLoad {
  /** Sessions and scrapes that run. */
  readonly running: number
  /** Scrapes that wait for a place, and pages of batches and crawls that are still to be done. */
  readonly waiting: number
  /** The limit of the team, else the sessions that all servers can hold. */
  readonly maxConcurrency: number
  /** When the team was last billed for something. */
  readonly lastSuccessAt: Date | undefined
}

/** How busy a team is now. Scrapes of a team without limits are counted on this server alone. */
export async function teamLoad({ store, permits }: TeamLoadDeps, teamId: string): Promise<TeamLoad> {
  const [team, nodes, lastSuccessAt, openPages] = await Promise.all([
    findTeam(store.db, teamId),
    listNodes(store.db),
    lastBilledAt(store.db, teamId),
    countOpenPages(store.db, teamId),
  ])
  const { activeSessions = 0, activeScrapes = 0, maxSessions } = team ?? {}
  const slots = nodes.reduce((sum, node) => sum + node.slots, 0)
  const scrapes = Math.max(activeScrapes, permits.running(teamId))
  return {
    running: activeSessions + scrapes,
    // Pages of batches are counted whether they stand in line already or not.
    waiting: Math.max(permits.waiting(teamId), openPages - scrapes),
    maxConcurrency: maxSessions ?? slots,
    lastSuccessAt,
  }
}
