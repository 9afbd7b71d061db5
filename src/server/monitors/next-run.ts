import { Cron } from 'croner'
import type { Schedule } from '../../contract/schedule.ts'

/**
 * When a schedule runs next after a time; undefined: never, such as on February 30th. A fixed time that the clocks skip in
 * spring is an hour later that day, and one that they repeat in autumn is the first of the two; steps go on evenly.
 */
export const nextRun = ({ cron, timezone }: Schedule, after: Date): Date | undefined =>
  new Cron(cron, { timezone, paused: true }).nextRun(after) ?? undefined

const sampleRuns = 300
const monthMs = 30 * 24 * 3_600_000

/** Runs in 30 days, rounded up: by the mean time between runs, without daylight saving. */
export const runsPerMonth = ({ cron }: Pick<Schedule, 'cron'>): number => {
  const runs = new Cron(cron, { timezone: 'UTC', paused: true }).nextRuns(sampleRuns)
  const [first, last] = [runs.at(0), runs.at(-1)]
  if (first === undefined || last === undefined) return 0
  if (runs.length === 1) return 1
  const meanMs = (last.getTime() - first.getTime()) / (runs.length - 1)
  return Math.ceil(monthMs / meanMs)
}
