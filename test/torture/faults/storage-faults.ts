import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultGroup, FaultTargets } from './faults.ts'

/** Breaks the connections to the S3 service, if the servers use one. */
export function storageFaults({ bucketLink: link }: FaultTargets): FaultGroup {
  if (link === undefined) return {}
  return {
    'make the S3 service unreachable': async (random) => {
      link.refuse(true)
      link.cut()
      await sleep(random.whole(1000, 20_000))
      link.refuse(false)
      return true
    },
    'freeze the connections to the S3 service': async (random) => {
      link.freeze(true)
      await sleep(random.whole(500, 8000))
      link.freeze(false)
      return true
    },
  }
}
