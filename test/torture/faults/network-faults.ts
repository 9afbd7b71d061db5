import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultGroup, FaultTargets } from './faults.ts'

/** Breaks the network between clients and servers. */
export function networkFaults({ fleet: { members } }: FaultTargets): FaultGroup {
  return {
    'cut the connections of a server': async (random) => {
      random.pick(members).link.cut()
      return true
    },
    'delay the connections of a server': async (random) => {
      const { link } = random.pick(members)
      link.delay(random.whole(50, 800))
      await sleep(random.whole(1000, 4000))
      link.delay(0)
      return true
    },
    'freeze the connections of a server': async (random) => {
      const { link } = random.pick(members)
      link.freeze(true)
      await sleep(random.whole(500, 5000))
      // Some connections never come back.
      if (random.whole(1, 2) === 1) link.cut()
      link.freeze(false)
      return true
    },
    'make a server unreachable': async (random) => {
      const { link } = random.pick(members)
      link.refuse(true)
      link.cut()
      await sleep(random.whole(300, 4000))
      link.refuse(false)
      return true
    },
  }
}
