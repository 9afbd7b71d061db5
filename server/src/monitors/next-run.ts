import { Cron } from 'croner'
import { runsPerDay } from 'bowline/contract/cron'
import type { Schedule } from 'bowline/contract/schedule'
import { dayMs } from 'bowline/kit/day-ms'

/** When a monitor runs. */
type Times = Pick<Schedule, 'cron' | 'timezone'>

/**
 * Returns the next run of a schedule after a time, or `undefined` if it never runs, such as on
 * February 30th. When clocks skip a fixed time in spring, it runs an hour later that day. When they
 * repeat it in autumn, it runs only the first time. Step intervals are unaffected.
 */
export function nextRun({ cron, timezone }: Times, after: Date): Date | undefined {
  const found = new Cron(cron, { timezone, paused: true }).nextRun(after) ?? undefined
  return found && (runInSkippedHour({ cron, timezone }, { after, before: found }) ?? found)
}

const sampleDays = 40

/**
 * Returns the run at a time that the clocks skip at the end of a day, as in Greenland. croner omits
 * that day.
 */
function runInSkippedHour(
  { cron, timezone }: Times,
  { after, before }: { readonly after: Date; readonly before: Date },
): Date | undefined {
  // In UTC, which skips nothing.
  const runInUtc = new Cron(cron, { timezone: 'UTC', paused: true }).nextRun(wallClockOf(after, timezone))
  if (runInUtc === null) return undefined
  const dayBefore = new Date(runInUtc.getTime() - dayMs)
  const offsetMs = wallClockOf(dayBefore, timezone).getTime() - dayBefore.getTime()
  const run = new Date(runInUtc.getTime() - offsetMs)
  const wallClock = wallClockOf(run, timezone)
  const isNextDay = wallClock > runInUtc && wallClock.getUTCDate() !== runInUtc.getUTCDate()
  return isNextDay && run > after && run < before ? run : undefined
}

/** Returns the wall clock time in a time zone, as if it were UTC. */
function wallClockOf(time: Date, timeZone: string): Date {
  return new Date(`${time.toLocaleString('sv', { timeZone })}Z`)
}

/**
 * Returns the number of runs in 30 days, rounded up, from the mean distance between matching days.
 * Ignores daylight saving time.
 */
export function runsPerMonth({ cron }: Pick<Schedule, 'cron'>): number {
  const days = cron.split(' ').slice(2).join(' ')
  const gapMs = days === '* * *' ? dayMs : meanGapMs(`0 0 ${days}`)
  return gapMs === undefined ? 0 : Math.ceil((30 * dayMs * runsPerDay(cron)) / gapMs)
}

function meanGapMs(cron: string): number | undefined {
  const runs = new Cron(cron, { timezone: 'UTC', paused: true }).nextRuns(sampleDays)
  const [first, last] = [runs.at(0), runs.at(-1)]
  return first === undefined || last === undefined || runs.length < 2
    ? undefined
    : (last.getTime() - first.getTime()) / (runs.length - 1)
}
