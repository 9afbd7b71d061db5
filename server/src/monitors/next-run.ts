import { Cron } from 'croner'
import { runsPerDay } from 'bowline/contract/cron'
import type { Schedule } from 'bowline/contract/schedule'

/**
 * When a schedule runs next after a time; undefined: never, such as on February 30th. A fixed time that the clocks skip in
 * spring is an hour later that day, and one that they repeat in autumn is the first of the two; steps go on evenly.
 */
export function nextRun({ cron, timezone }: Schedule, after: Date): Date | undefined {
  const found = new Cron(cron, { timezone, paused: true }).nextRun(after) ?? undefined
  return found && (runOfLostHour({ cron, timezone }, { after, before: found }) ?? found)
}

const sampleDays = 40
const dayMs = 24 * 3_600_000

/** The run whose time the clocks skip as they go on to the next day, as in Greenland: the library leaves that day out. */
function runOfLostHour(
  { cron, timezone }: Schedule,
  { after, before }: { readonly after: Date; readonly before: Date },
): Date | undefined {
  // By clocks that skip nothing.
  const wanted = new Cron(cron, { timezone: 'UTC', paused: true }).nextRun(clockOf(after, timezone))
  if (wanted === null) return undefined
  const dayBefore = new Date(wanted.getTime() - dayMs)
  const offsetMs = clockOf(dayBefore, timezone).getTime() - dayBefore.getTime()
  const run = new Date(wanted.getTime() - offsetMs)
  const shown = clockOf(run, timezone)
  const isNextDay = shown > wanted && shown.getUTCDate() !== wanted.getUTCDate()
  return isNextDay && run > after && run < before ? run : undefined
}

/** What the clocks of a time zone show, as if they showed UTC. */
function clockOf(time: Date, timeZone: string): Date {
  return new Date(`${time.toLocaleString('sv', { timeZone })}Z`)
}

/** Runs in 30 days, rounded up: by the mean time between the days that count, without daylight saving. */
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
