import { Option, type Command } from 'commander'
import { monitorLimits, type CreateMonitorOptions, type UpdateMonitorOptions } from '../contract/monitors.ts'
import type { ConnectionFlags } from './connection.ts'
import { numberFrom } from './whole-number.ts'

/** What may be said of a monitor, whether it is made or changed. */
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

/** What may be said of a monitor that is made. */
export interface CreateFlags extends MonitorFlags {
  readonly crawl?: boolean
  readonly limit?: number
}

const { retentionDays } = monitorLimits

/** Adds the flags for what may be said of a monitor. */
export function withMonitorFlags(command: Command): Command {
  return command
    .option('--name <name>', 'what to recognise it by')
    .option('--every <words>', 'such as "30 minutes", "6 hours", "hourly at :15", "daily at 9:00", "weekly"')
    .addOption(new Option('--cron <expression>', 'five fields instead of words').conflicts('every'))
    .option('--timezone <zone>', 'time zone of the schedule, such as Europe/Berlin')
    .option('--webhook <url>', 'address that is told')
    .option('--mail <address...>', 'who is told by mail')
    .option('--diffs', 'show what changed in mails')
    .option('--days <count>', 'days that checks are kept', numberFrom(retentionDays.min, retentionDays.max))
    .option('--goal <words>', 'what matters of a change, for the language model of the server to judge by')
}

/** What a new monitor is made of: daily in UTC, and named after its first address, unless the flags say otherwise. */
export function toOptions(urls: readonly string[], flags: CreateFlags): CreateMonitorOptions {
  const { limit } = flags
  const crawlOptions = limit === undefined ? {} : { crawlOptions: { limit } }
  return {
    ...common(flags),
    name: (flags.name ?? urls[0] ?? 'monitor').slice(0, 256),
    schedule: { ...timesOf({ every: 'daily', ...flags }), timezone: flags.timezone },
    targets:
      flags.crawl === true
        ? urls.map((url) => ({ type: 'crawl' as const, url, ...crawlOptions }))
        : [{ type: 'scrape', urls: [...urls] }],
  }
}

/** What the flags change of a monitor. Nothing: an empty object. */
export function toChange(
  flags: MonitorFlags & { readonly urls?: readonly string[] },
  { schedule }: { readonly schedule: { readonly cron: string; readonly timezone: string } },
): UpdateMonitorOptions {
  const { every, cron, timezone, urls, name } = flags
  const isMoved = every !== undefined || cron !== undefined || timezone !== undefined
  return {
    ...common(flags),
    ...(name === undefined ? {} : { name }),
    ...(isMoved
      ? {
          schedule: {
            ...(every === undefined && cron === undefined ? { cron: schedule.cron } : timesOf(flags)),
            timezone: timezone ?? schedule.timezone,
          },
        }
      : {}),
    ...(urls === undefined ? {} : { targets: [{ type: 'scrape' as const, urls: [...urls] }] }),
  }
}

function common({ webhook, mail, diffs, days, goal }: MonitorFlags) {
  return {
    ...(webhook === undefined ? {} : { webhook }),
    ...(mail === undefined
      ? {}
      : { notification: { email: { enabled: true, recipients: [...mail], includeDiffs: diffs === true } } }),
    ...(days === undefined ? {} : { retentionDays: days }),
    ...(goal === undefined ? {} : { goal }),
  }
}

function timesOf({ cron, every = '' }: Pick<MonitorFlags, 'cron' | 'every'>): { cron: string } | { text: string } {
  if (cron !== undefined) return { cron }
  // `--every "30 minutes"` reads as it is said.
  return { text: /^\d/.test(every) ? `every ${every}` : every }
}
