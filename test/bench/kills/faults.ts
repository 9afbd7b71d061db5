import { setTimeout as sleep } from 'node:timers/promises'
import { browserPids } from '../../lab/browser-processes.ts'
import type { Random } from '../../lab/random.ts'
import type { Fleet } from './fleet.ts'
import type { Workload } from './workload.ts'

type Actions = Readonly<Record<string, () => Promise<void>>>

/** Faults of a round. */
export interface Faults {
  readonly count: () => number
  /** Faults of browsers that found one. */
  readonly browserCount: () => number
  /** Resolves when no fault is in progress and all servers run. */
  readonly stop: () => Promise<void>
}

/** Causes faults at random moments: those of servers one after the other, and others meanwhile. */
export function startFaults({
  fleet,
  workload,
  random,
  log,
}: {
  readonly fleet: Fleet
  readonly workload: Workload
  readonly random: Random
  readonly log: (line: string) => void
}): Faults {
  const { members, database } = fleet
  let count = 0
  let browserCount = 0
  const stopped = new AbortController()

  const signalBrowser = async (signal: 'SIGKILL' | 'SIGSTOP', stoppedMs: number): Promise<void> => {
    const pids = members.flatMap(({ dataDir }) => browserPids(dataDir))
    if (pids.length === 0) return
    browserCount += 1
    // The whole group: the main process of a jailed browser only waits for the jail.
    const group = -random.pick(pids)
    trySignal(group, signal)
    if (signal === 'SIGKILL') return
    await sleep(stoppedMs)
    trySignal(group, 'SIGCONT')
  }
  const pauseServer = async (ms: number): Promise<void> => {
    const server = random.pick(members).server()
    server.kill('SIGSTOP')
    await sleep(ms)
    server.kill('SIGCONT')
  }
  const ofServers: Actions = {
    'kill a server': async () => random.pick(members).restart('SIGKILL', random.whole(0, 3000)),
    'stop a server': async () => random.pick(members).restart('SIGTERM', random.whole(0, 1000)),
    'pause a server': async () => pauseServer(random.whole(500, 6000)),
    ...(database !== undefined && {
      'pause a server until it counts as dead': async () => pauseServer(random.whole(32_000, 38_000)),
    }),
  }
  const ofOthers: Actions = {
    'kill a browser': async () => signalBrowser('SIGKILL', 0),
    'pause a browser': async () => signalBrowser('SIGSTOP', random.whole(500, 6000)),
    'cut clients': async () => workload.cutClients(random.whole(1, 4)),
    ...(database !== undefined && {
      'close database connections': database.disconnect,
      'close the database': async () => {
        await using _away = await database.goOffline()
        await sleep(random.whole(300, 4000))
      },
    }),
  }

  const run = async (actions: Actions): Promise<void> => {
    while (!stopped.signal.aborted) {
      await sleep(random.whole(200, 2500))
      const name = random.pick(Object.keys(actions))
      log(name)
      count += 1
      await actions[name]!()
    }
  }
  const running = Promise.all([run(ofServers), run(ofOthers)])
  return {
    count: () => count,
    browserCount: () => browserCount,
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
