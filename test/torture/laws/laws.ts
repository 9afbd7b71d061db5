import { openStore } from '../../../server/src/store/open.ts'
import type { Receiver } from '../../lab/receiver.ts'
import type { Fleet } from '../fleet.ts'
import type { Records } from '../load/records.ts'
import { checkBills } from './bills.ts'
import { findLeftovers, waitForClients } from './leftovers.ts'
import { checkProfiles } from './profiles.ts'
import { checkRows } from './rows.ts'
import { settle } from './settle.ts'
import { checkUsage } from './usage.ts'
import { checkWebhooks, type CheckedWebhooks } from './webhooks.ts'

/** A run whose faults and clients have stopped. */
export interface FinishedRun {
  readonly fleet: Fleet
  readonly records: Records
  readonly receiver: Receiver
  /** Maximum time in which all work must come to its end, in milliseconds. */
  readonly settleMs: number
  /** Whether the database was away for longer than clients retry. */
  readonly hasLongOutages: boolean
  /** Whether no process was killed. */
  readonly isOrderly: boolean
  /** Receives progress. */
  readonly log: (line: string) => void
}

/** Numbers of checked things, and the laws that do not hold. */
export interface Judgment {
  readonly broken: readonly string[]
  readonly checked: Readonly<Record<string, number>>
}

/** Waits until all work has ended, stops the servers, and checks the laws. */
export async function judge(run: FinishedRun): Promise<Judgment> {
  const { fleet, records, receiver, isOrderly } = run
  const broken: string[] = [
    ...(await settle(run)),
    ...(await checkProfiles(fleet, records)),
    ...(await checkUsage(fleet)),
    ...(await waitForClients(fleet, run)),
    ...records.damagedDownloads.map((download) => `a download has the wrong bytes: ${download}`),
  ]
  const codes = await fleet.stop()
  broken.push(...codes.filter((code) => code !== 0).map((code) => `a server that was stopped exited with ${code}`))
  const { dataDir } = fleet.members[0]!
  let webhooks: CheckedWebhooks
  let counts: Readonly<Record<string, number>>
  {
    await using store = await openStore({ dataDir, databaseUrl: fleet.database?.url })
    const rows = await checkRows(store, { credits: fleet.credits, jobs: records.jobs, isOrderly })
    webhooks = await checkWebhooks(store, receiver.received)
    counts = rows.counts
    broken.push(...rows.broken, ...(await checkBills(store, fleet, records)), ...webhooks.broken)
  }
  broken.push(...(await findLeftovers(fleet)))
  const checked = {
    ...counts,
    webhooks: webhooks.deliveries,
    'webhooks received twice': webhooks.repeated,
    'profiles opened': records.profiles.size,
    'downloads read back': records.downloads,
  }
  return { broken, checked }
}
