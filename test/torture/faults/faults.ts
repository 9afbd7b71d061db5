import { setTimeout as sleep } from 'node:timers/promises'
import { actorRandom } from '../actor-random.ts'
import type { Random } from '../../lab/random.ts'
import { browserFaults } from './browser-faults.ts'
import { databaseFaults, type DatabaseControl } from './database-faults.ts'
import { machineFaults } from './machine-faults.ts'
import { networkFaults } from './network-faults.ts'
import { serverFaults } from './server-faults.ts'
import { storageFaults } from './storage-faults.ts'
import type { Fleet } from '../fleet.ts'
import type { Link } from '../link.ts'
import type { Load } from '../load/load.ts'

/**
 * Causes a fault, and resolves when it is over. Returns `false` if there was nothing to cause it
 * to, such as no browser.
 */
export type Fault = (random: Random) => Promise<boolean | undefined>

/** Faults by name. They happen one after the other. */
export type FaultGroup = Readonly<Record<string, Fault>>

/** Dependencies of the faults. */
export interface FaultTargets {
  readonly fleet: Fleet
  readonly load: Load
  /** Processes of the database. Undefined: they are shared with others, or the servers embed it. */
  readonly databaseControl: DatabaseControl | undefined
  /** Network between the servers and the S3 service. Undefined: they use a folder. */
  readonly bucketLink: Link | undefined
  /** Whether faults may take longer than half a minute. */
  readonly isLong: boolean
  readonly log: (line: string) => void
}

/** Faults of a run. */
export interface Faults {
  /** Number of faults by name. */
  readonly counts: ReadonlyMap<string, number>
  /** Resolves when no fault is in progress, all servers run and all clocks are right. */
  readonly stop: () => Promise<void>
}

/** Pauses between the faults of a group in milliseconds, if longer than those of others. */
const pausesMs: Readonly<Record<string, readonly [number, number]>> = {
  // What clients and servers do before they are killed again should get somewhere.
  clients: [3000, 12_000],
  servers: [2000, 9000],
  storage: [5000, 20_000],
}

/** Causes faults at random moments: those of a group one after the other, the groups at once. */
export function startFaults(seed: number, targets: FaultTargets): Faults {
  const counts = new Map<string, number>()
  const stopped = new AbortController()
  const run = async ([group, faults]: readonly [string, FaultGroup]): Promise<void> => {
    const random = actorRandom(seed, `faults of ${group}`)
    const names = Object.keys(faults)
    for (const name of names) counts.set(name, 0)
    const left: string[] = []
    while (names.length > 0 && !stopped.signal.aborted) {
      const pauseMs = random.whole(...(pausesMs[group] ?? [500, 5000]))
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      if (stopped.signal.aborted) return
      // All faults of a group happen before one happens again.
      if (left.length === 0) left.push(...names)
      const [name = ''] = left.splice(random.whole(0, left.length - 1), 1)
      targets.log(name)
      const hasHappened = await faults[name]!(random)
      if (hasHappened !== false) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  const groups = {
    servers: serverFaults(targets),
    browsers: browserFaults(targets),
    clients: clientFaults(targets),
    network: networkFaults(targets),
    database: databaseFaults(targets),
    storage: storageFaults(targets),
    machine: machineFaults(targets),
  }
  const running = Promise.all(Object.entries(groups).map(run))
  // If a fault cannot be caused, `stop` throws the error, after which the caller can clean up.
  running.catch(() => undefined)
  return {
    counts,
    stop: async () => {
      stopped.abort()
      await running
      await Promise.all(targets.fleet.members.map(async (member) => member.setClock(0)))
    },
  }
}

function clientFaults({ load }: FaultTargets): FaultGroup {
  return {
    'cut requests of clients': async (random) => load.cutClients(random.whole(1, 4)) > 0,
    ...(load.programs.length > 0 && {
      'kill a client': async (random) =>
        random
          .pick(load.programs)
          .restart(random.whole(0, 2000))
          .then(() => true),
      'pause a client': async (random) => {
        const program = random.pick(load.programs)
        program.signal('SIGSTOP')
        await sleep(random.whole(500, 5000))
        program.signal('SIGCONT')
        return true
      },
    }),
  }
}
