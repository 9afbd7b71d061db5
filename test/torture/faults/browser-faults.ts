import { setTimeout as sleep } from 'node:timers/promises'
import { browserPids, rendererPids } from '../../lab/browser-processes.ts'
import type { Random } from '../../lab/random.ts'
import type { FaultGroup, FaultTargets } from './faults.ts'

/** Kills and pauses browsers, and kills renderers as the kernel does when memory runs out. */
export function browserFaults({ fleet: { members } }: FaultTargets): FaultGroup {
  /** The whole group: the main process of a jailed browser only waits for the jail. */
  const pickGroup = (random: Random): number | undefined => {
    const pids = members.flatMap(({ dataDir }) => browserPids(dataDir))
    return pids.length === 0 ? undefined : -random.pick(pids)
  }
  return {
    'kill a browser': async (random) => {
      const group = pickGroup(random)
      if (group !== undefined) trySignal(group, 'SIGKILL')
      return group !== undefined
    },
    'pause a browser': async (random) => {
      const group = pickGroup(random)
      if (group === undefined) return false
      trySignal(group, 'SIGSTOP')
      await sleep(random.whole(500, 6000))
      trySignal(group, 'SIGCONT')
      return true
    },
    'kill a renderer': async (random) => {
      const pids = members.flatMap(({ dataDir }) => rendererPids(dataDir))
      if (pids.length > 0) trySignal(random.pick(pids), 'SIGKILL')
      return pids.length > 0
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
