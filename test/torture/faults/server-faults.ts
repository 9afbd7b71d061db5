import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../lab/random.ts'
import type { FaultGroup, FaultTargets } from './faults.ts'

/** Kills, stops and pauses servers. */
export function serverFaults({ fleet: { members, database }, isLong }: FaultTargets): FaultGroup {
  const pause = async (random: Random, ms: number): Promise<undefined> => {
    const server = random.pick(members).server()
    server.kill('SIGSTOP')
    await sleep(ms)
    server.kill('SIGCONT')
  }
  return {
    'kill a server': async (random) => {
      await random.pick(members).restart('SIGKILL', random.whole(0, 3000))
      return true
    },
    'stop a server': async (random) => {
      await random.pick(members).restart('SIGTERM', random.whole(0, 1000))
      return true
    },
    'pause a server': async (random) => pause(random, random.whole(500, 6000)),
    ...(isLong &&
      database !== undefined && {
        'pause a server until it counts as dead': async (random) => pause(random, random.whole(32_000, 45_000)),
        'kill a server that stays away': async (random) => {
          await random.pick(members).restart('SIGKILL', random.whole(32_000, 38_000))
          return true
        },
      }),
  }
}
