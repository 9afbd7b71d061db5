import { Option, type Command } from 'commander'
import { monitorLimits, type CreateMonitorOptions, type UpdateMonitorOptions } from '../contract/monitors.ts'
import type { ConnectionFlags } from './connection.ts'
import { elementOptions, type ElementFlags } from './page-flags.ts'
import { numberFrom } from './whole-number.ts'

/** Flags of `monitors create` and `monitors update`. */
export interface MonitorFlags extends ConnectionFlags {
  readonly name?: string
  readonly every?: string
  readonly cron?: string
  readonly timezone?: string
  readonly webhook?: string
  readonly mail?: readonly string[]
  readonly diffs?: boolean
  readonly days?: number
  readonly goal?: string
}

/** Flags of `monitors create`. */
export interface CreateFlags extends MonitorFlags, ElementFlags {
  readonly crawl?: boolean
  readonly limit?: number
}

const { retentionDays } = monitorLimits

/** Adds the flags shared by `monitors create` and `monitors update`. */
export function withMonitorFlags(command: Command): Command {
  return command
    .option('--name <name>', 'name of the monitor')
    .option(
      '--every <words>',
      'schedule, such as "30 minutes", "6 hours", "hourly at :15", "daily at 9:00" or "weekly"',
    )
    .addOption(new Option('--cron <expression>', 'schedule as a cron expression with five fields').conflicts('every'))
    .option('--timezone <zone>', 'time zone of the schedule, such as Europe/Berlin')
    .option('--webhook <url>', 'URL that receives the events')
    .option('--mail <address...>', 'email addresses of the recipients')
    .option('--diffs', 'include diffs in emails')
    .option('--days <count>', 'days that checks are kept', numberFrom(retentionDays.min, retentionDays.max))
    .option('--goal <words>', 'goal by which the language model of the server judges changes')
}

/**
 * Builds the options of a new monitor. By default it runs daily in UTC and is named after its first
 * URL.
 */
export function toCreateOptions(urls: readonly string[], flags: CreateFlags): CreateMonitorOptions {
  const { limit } = flags
  const crawlOptions = limit === undefined ? {} : { crawlOptions: { limit } }
  const scrape = elementOptions(flags)
  const scrapeOptions = Object.keys(scrape).length === 0 ? {} : { scrapeOptions: scrape }
  return {
    ...toCommonOptions(flags),
    name: (flags.name ?? urls[0] ?? 'monitor').slice(0, 256),
    schedule: { ...toSchedule({ every: 'daily', ...flags }), timezone: flags.timezone },
    targets:
      flags.crawl === true
        ? urls.map((url) => ({ type: 'crawl' as const, url, ...crawlOptions, ...scrapeOptions }))
        : [{ type: 'scrape', urls: [...urls], ...scrapeOptions }],
  }
}

/** Builds the changes of a monitor. Returns an empty object if no flag is set. */
export function toUpdateOptions(
  flags: MonitorFlags & { readonly urls?: readonly string[] },
  { schedule }: { readonly schedule: { readonly cron: string; readonly timezone: string } },
): UpdateMonitorOptions {
  const { every, cron, timezone, urls, name } = flags
  const hasSchedule = every !== undefined || cron !== undefined || timezone !== undefined
  return {
    ...toCommonOptions(flags),
    ...(name === undefined ? {} : { name }),
    ...(hasSchedule
      ? {
          schedule: {
            ...(every === undefined && cron === undefined ? { cron: schedule.cron } : toSchedule(flags)),
            timezone: timezone ?? schedule.timezone,
          },
        }
      : {}),
    ...(urls === undefined ? {} : { targets: [{ type: 'scrape' as const, urls: [...urls] }] }),
  }
}

function toCommonOptions({ webhook, mail, diffs, days, goal }: MonitorFlags) {
  return {
    ...(webhook === undefined ? {} : { webhook }),
    ...(mail === undefined
      ? {}
      : { notification: { email: { enabled: true, recipients: [...mail], includeDiffs: diffs === true } } }),
    ...(days === undefined ? {} : { retentionDays: days }),
    ...(goal === undefined ? {} : { goal }),
  }
}

function toSchedule({ cron, every = '' }: Pick<MonitorFlags, 'cron' | 'every'>): { cron: string } | { text: string } {
  if (cron !== undefined) return { cron }
  // `--every "30 minutes"` becomes "every 30 minutes".
  return { text: /^\d/.test(every) ? `every ${every}` : every }
}
