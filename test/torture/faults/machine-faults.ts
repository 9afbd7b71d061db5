import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultGroup, FaultTargets } from './faults.ts'

const minuteMs = 60_000

/** Fills disks, uses up memory and sets clocks. */
export function machineFaults({ fleet: { members, fullDisks }, load, isLong }: FaultTargets): FaultGroup {
  const hasDisks = members.every(({ disk }) => disk !== undefined)
  return {
    'set the clock of a server': async (random) => {
      const member = random.pick(members)
      const sign = random.pick([-1, 1])
      await member.setClock(sign * random.pick([1, 10, 60]) * minuteMs)
      await sleep(random.whole(500, 5000))
      if (random.whole(1, 2) === 1) await member.setClock(0)
      return true
    },
    ...(hasDisks && {
      'fill the disk of a server': async (random) => {
        const { disk } = random.pick(members)
        const period = { fromMs: Date.now(), untilMs: Infinity }
        fullDisks.push(period)
        disk?.fill()
        await sleep(random.whole(500, 4000))
        disk?.free()
        period.untilMs = Date.now()
        return true
      },
    }),
    ...(isLong && {
      'use up memory in a page': async (random) => load.useMemory(random.whole(300, 900)),
    }),
  }
}
