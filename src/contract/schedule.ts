import { z } from 'zod'
import { cronProblem, normalizeCron } from './cron.ts'
import { isError } from '../kit/is-error.ts'
import { isTimeZone } from '../kit/is-time-zone.ts'

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const clock = String.raw`(?: at (?<hour>\d{1,2})(?::(?<minute>\d\d))? ?(?<half>am|pm)?)?`

type Words = Readonly<Record<string, string | undefined>>

/** Phrases for schedules. Each converts to a cron expression or to an error. */
const phrases: readonly { readonly pattern: RegExp; readonly toCron: (words: Words) => string | Error }[] = [
  {
    pattern: /^every(?: (?<count>\d{1,4}))? minutes?$/,
    toCron: ({ count = '1' }) => {
      const minutes = Number(count)
      if (minutes < 1 || 60 % minutes !== 0) return new Error(`${minutes} minutes do not divide an hour evenly`)
      return minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`
    },
  },
  {
    pattern: /^every (?<count>\d{1,4}) hours?$/,
    toCron: ({ count }) => {
      const hours = Number(count)
      if (hours < 1 || 24 % hours !== 0) return new Error(`${hours} hours do not divide a day evenly`)
      return hours === 1 ? '0 * * * *' : hours === 24 ? '0 0 * * *' : `0 */${hours} * * *`
    },
  },
  {
    pattern: /^(?:hourly|every hour)(?: at :(?<minute>\d\d))?$/,
    toCron: ({ minute = '0' }) => `${Number(minute)} * * * *`,
  },
  { pattern: new RegExp(`^(?:daily|every day)${clock}$`), toCron: (words) => atClock(words, '*') },
  {
    pattern: new RegExp(`^(?:weekly|every week)(?: on (?<day>${days.join('|')})s?)?${clock}$`),
    toCron: (words) => atClock(words, String(days.indexOf(words['day'] ?? 'monday'))),
  },
  {
    pattern: new RegExp(
      `^(?:(?:every|on) )?(?<list>(?:${days.join('|')})s?(?:(?:,| and|, and) (?:${days.join('|')})s?)*)${clock}$`,
    ),
    toCron: (words) => atClock(words, daysIn(words['list'] ?? '').join(',')),
  },
  { pattern: new RegExp(`^(?:every weekday|(?:on )?weekdays)${clock}$`), toCron: (words) => atClock(words, '1-5') },
  { pattern: new RegExp(`^(?:every weekend|(?:on )?weekends)${clock}$`), toCron: (words) => atClock(words, '0,6') },
  {
    pattern: new RegExp(`^(?:monthly|every month)(?: on the (?<date>\\d{1,2})(?:st|nd|rd|th)?)?${clock}$`),
    toCron: (words) => atClock(words, '*', String(Number(words['date'] ?? '1'))),
  },
  {
    pattern: /^every (?<count>\d{1,3}) (?:days|weeks|months)/,
    toCron: ({ count }) =>
      new Error(
        `Intervals of ${count} days, weeks or months are not supported. Use "daily", "weekly" or "monthly", or a cron expression such as "0 0 */2 * *" for every second day of the month`,
      ),
  },
]

function daysIn(list: string): readonly number[] {
  return days.flatMap((day, index) => (list.includes(day) ? [index] : []))
}

function atClock({ hour = '0', minute = '0', half }: Words, weekday: string, date = '*'): string | Error {
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12))
    return new Error(`${hour} ${half} is not a valid time`)
  const afternoon = half === 'pm' ? 12 : 0
  return `${Number(minute)} ${(half === undefined ? Number(hour) : Number(hour) % 12) + afternoon} ${date} * ${weekday}`
}

function toCron(text: string): string | Error {
  const normalized = text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
  for (const { pattern, toCron: convert } of phrases) {
    const match = pattern.exec(normalized)
    if (match !== null) return convert(match.groups ?? {})
  }
  return new Error(
    `"${text}" is not a valid schedule. Use "every 30 minutes", "hourly at :15", "every 6 hours", "daily at 9:00 am", "weekdays at 9:00", "every monday at 8:00", "weekly", "monthly", or a cron expression`,
  )
}

/**
 * Schema of the schedule of a monitor, as a cron expression or in words. Runs must be at least
 * 5 minutes apart. The output is a cron expression, with the words if there are any.
 */
export const schedule = z
  .strictObject({
    /**
     * Five fields with numbers, `*`, lists, ranges and steps. Months and weekdays can be names
     * (`JAN`, `MON-FRI`). Weekdays are 0 (Sunday) to 7 (Sunday).
     */
    cron: z.string().trim().max(200).optional(),
    /**
     * Schedule in words, such as `every 30 minutes`, `hourly at :15`, `every 6 hours`,
     * `daily at 9:00 am`, `weekdays at 9:00`, `every monday at 8:00`, `weekly` or `monthly`.
     */
    text: z.string().max(200).optional(),
    /** IANA time zone, such as `Europe/Berlin`. Default: `UTC`. */
    timezone: z.string().max(100).default('UTC'),
  })
  .transform(({ cron, text, timezone }, context) => {
    const refuse = (path: string, message: string): never => {
      context.addIssue({ code: 'custom', message, path: [path], input: cron ?? text })
      return z.NEVER
    }
    if ((cron === undefined) === (text === undefined))
      return refuse('cron', 'A schedule must have either `cron` or `text`')
    if (!isTimeZone(timezone)) {
      return refuse('timezone', `"${timezone}" is not an IANA time zone, such as "Europe/Berlin" or "UTC"`)
    }
    const expression = cron === undefined ? toCron(text ?? '') : normalizeCron(cron)
    const path = cron === undefined ? 'text' : 'cron'
    if (isError(expression)) return refuse(path, expression.message)
    const problem = cronProblem(expression)
    return problem === undefined ? { cron: expression, timezone, text: text?.trim() } : refuse(path, problem)
  })

export type Schedule = z.output<typeof schedule>
export type ScheduleInput = z.input<typeof schedule>
