import { setTimeout as sleep } from 'node:timers/promises'
import type { LabPostgres } from '../../lab/postgres.ts'
import type { FaultGroup, FaultTargets } from './faults.ts'

const minuteMs = 60_000

/** Control of the processes of a PostgreSQL. */
export type DatabaseControl = Pick<LabPostgres, 'crash' | 'pause'>

/** Kills and pauses PostgreSQL, and breaks the connections to it. */
export function databaseFaults({ fleet: { members, database }, databaseControl, isLong }: FaultTargets): FaultGroup {
  if (database === undefined) return {}
  const links = members.flatMap(({ databaseLink }) => databaseLink ?? [])
  return {
    'close the connections of the database': async () => database.disconnect().then(() => true),
    'close the database to all servers': async (random) => {
      await using _away = await database.goOffline()
      await sleep(random.whole(300, 4000))
      return true
    },
    'cut a server off from the database': async (random) => {
      const link = random.pick(links)
      link.refuse(true)
      link.cut()
      await sleep(random.whole(300, 6000))
      link.refuse(false)
      return true
    },
    'delay the connections to the database': async (random) => {
      const link = random.pick(links)
      link.delay(random.whole(20, 300))
      await sleep(random.whole(1000, 4000))
      link.delay(0)
      return true
    },
    'freeze the connections to the database': async (random) => {
      const link = random.pick(links)
      link.freeze(true)
      await sleep(random.whole(500, 8000))
      link.freeze(false)
      return true
    },
    ...(databaseControl !== undefined && {
      'kill the database': async (random) => databaseControl.crash(random.whole(0, 3000)).then(() => true),
      'pause the database': async (random) => {
        const resume = databaseControl.pause()
        await sleep(random.whole(500, 8000))
        resume()
        return true
      },
      ...(isLong && {
        'stop the database for a minute': async () => databaseControl.crash(minuteMs).then(() => true),
        'pause the database for a minute': async () => {
          const resume = databaseControl.pause()
          await sleep(minuteMs)
          resume()
          return true
        },
      }),
    }),
  }
}
