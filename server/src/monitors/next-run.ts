import { Cron } from 'croner'
import { runsPerDay } from 'bowline/contract/cron'
import type { Schedule } from 'bowline/contract/schedule'
import { dayMs } from 'bowline/kit/day-ms'

/** When a monitor runs. */
type Times = Pick<Schedule, 'cron' | 'timezone'>

/**
 * Returns the next run of a schedule after a time, or `undefined` if it never runs, such as on
 * February 30th. A fixed time that the clocks skip in spring runs an hour later. One that they
 * repeat in autumn runs only the first time. Schedules with `*` as hour or minute are unaffected.
 */
export function nextRun(times: Times, after: Date): Date | undefined {
  const { cron, timezone } = times
  let found = runAfter(times, after)
  if (/\*/.test(cron.split(' ', 2).join(' '))) return found
  while (found !== undefined && (isMoved(found, times) || isRepeated(found, timezone))) found = runAfter(times, found)
  return found && (runInSkippedHour(times, { after, before: found }) ?? found)
}

/**
 * Whether croner has moved a run that the clocks skip. It does so only if hour and minute are
 * single numbers, and not at the end of a day, as in Greenland.
 */
function isMoved(time: Date, { cron, timezone }: Times): boolean {
  const wallClockMs = wallClockOf(time, timezone).getTime()
  return runAfter({ cron, timezone: 'UTC' }, new Date(wallClockMs - 1000))?.getTime() !== wallClockMs
}

function runAfter({ cron, timezone }: Times, after: Date): Date | undefined {
  return new Cron(cron, { timezone, paused: true }).nextRun(after) ?? undefined
}

/** Whether the clocks showed the same time before they were set back. */
function isRepeated(time: Date, timezone: string): boolean {
  const wallClock = wallClockOf(time, timezone)
  const first = new Date(wallClock.getTime() - offsetAt(wallClock.getTime() - dayMs, timezone))
  return first < time && wallClockOf(first, timezone).getTime() === wallClock.getTime()
}

/** Returns the run at a time that the clocks skip, by the clocks before the change. */
function runInSkippedHour(
  { cron, timezone }: Times,
  { after, before }: { readonly after: Date; readonly before: Date },
): Date | undefined {
  const afterMs = after.getTime()
  const wallClockMs = afterMs + Math.min(offsetAt(afterMs, timezone), offsetAt(afterMs - dayMs, timezone))
  // In UTC, which skips nothing.
  const wanted = runAfter({ cron, timezone: 'UTC' }, new Date(wallClockMs))?.getTime()
  if (wanted === undefined) return undefined
  const [run, later] = [-dayMs, dayMs].map((ms) => new Date(wanted - offsetAt(wanted + ms, timezone)))
  const exists = [run, later].some((time) => time && wallClockOf(time, timezone).getTime() === wanted)
  return !exists && run !== undefined && run > after && run < before ? run : undefined
}

/** Returns how far the wall clock is ahead of UTC, in milliseconds. */
function offsetAt(timeMs: number, timezone: string): number {
  return wallClockOf(new Date(timeMs), timezone).getTime() - Math.floor(timeMs / 1000) * 1000
}

/** Returns the wall clock time in a time zone, as if it were UTC. */
function wallClockOf(time: Date, timeZone: string): Date {
  return new Date(`${time.toLocaleString('sv', { timeZone })}Z`)
}

const sampleDays = 40

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
