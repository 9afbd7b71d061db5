import { Command } from 'commander'
import type { Check, Monitor } from '../contract/monitor-checks.ts'
import { monitorLimits } from '../contract/monitors.ts'
import { BowlineError } from '../kit/errors.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import {
  toCreateOptions,
  toUpdateOptions,
  withMonitorFlags,
  type CreateFlags,
  type MonitorFlags,
} from './monitor-flags.ts'
import { withElementFlags } from './page-flags.ts'
import { countOfState, printDiff } from './print-diff.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printFacts, printJson, printTable } from '../terminal/print.ts'
import { numberFrom } from './whole-number.ts'

/** Creates the command `bowline monitors`. */
export function createMonitorsCommand(): Command {
  const command = new Command('monitors')
  const add = (name: string, description: string): Command =>
    withConnectionFlags(command.command(name).description(description))
  const addForOne = (name: string, description: string): Command =>
    add(name, description).argument('<id>', 'id of the monitor')
  const createCommand = withMonitorFlags(
    add('create', 'create a monitor of pages, or of a site with --crawl; runs daily unless --every or --cron is set'),
  )
    .argument('<url...>', 'URLs of the pages')
    .option('--crawl', 'crawl the site of each URL and check all its pages')
    .option(
      '--limit <count>',
      'maximum number of pages per crawl (default: 100)',
      numberFrom(1, monitorLimits.crawlPages.max),
    )
  withElementFlags(createCommand).action(create)
  withMonitorFlags(addForOne('update', 'change a monitor; settings without a flag stay the same'))
    .option('--urls <url...>', 'replace its targets with these pages')
    .action(update)
  add('list', 'list monitors, newest first')
    .option('--search <text>', 'only monitors whose id starts with this text, or whose name contains it')
    .action(list)
  addForOne('show', 'show one monitor').action(show)
  addForOne(
    'run',
    'check the pages now and print the changes; the exit code is 1 if a page has the status error',
  ).action(run)
  addForOne('pause', 'pause a monitor').action(setStatus('paused'))
  addForOne('resume', 'resume a paused monitor').action(setStatus('active'))
  addForOne('delete', 'delete a monitor and its checks').action(remove)
  addForOne('checks', 'list the checks of a monitor, newest first')
    .option('--limit <count>', 'maximum number of checks, up to 100', numberFrom(1, 100))
    .action(listChecks)
  addForOne('diff', 'print the changes of a check')
    .argument('[check]', 'id of the check (default: the last check that was not skipped)')
    .action(diff)
  return command
}

async function create(urls: readonly string[], flags: CreateFlags): Promise<void> {
  printMonitor(await (await createClient(flags)).monitors.create(toCreateOptions(urls, flags)), flags)
}

async function update(id: string, flags: MonitorFlags & { readonly urls?: readonly string[] }): Promise<void> {
  const { monitors } = await createClient(flags)
  const changes = toUpdateOptions(flags, await monitors.get(id))
  if (Object.keys(changes).length === 0) {
    throw new BowlineError('BAD_REQUEST', 'No changes were given', {
      hint: 'Add a flag, such as --every "6 hours"; `bowline monitors update --help` lists them.',
    })
  }
  printMonitor(await monitors.update(id, changes), flags)
}

function printMonitor(monitor: Monitor, flags: ConnectionFlags): void {
  if (flags.json === true) return printJson(monitor)
  const { schedule, targets, nextRunAt, lastRunAt, lastCheckSummary: last } = monitor
  printFacts({
    id: monitor.id,
    name: monitor.name,
    status: monitor.status,
    schedule: describeSchedule(schedule),
    'next run': nextRunAt ?? 'never',
    'last run': lastRunAt ?? 'never',
    pages: targets.flatMap((target) => target.urls ?? target.url ?? []).join(' '),
    'last check': last === null ? undefined : countsOf(last),
    'credits per month': monitor.estimatedCreditsPerMonth,
    'email recipients': monitor.emailRecipientSubscriptions
      ?.map(({ email, status }) => `${email} (${status})`)
      .join(', '),
    webhook: monitor.webhook?.url,
    goal: monitor.goal ?? undefined,
  })
}

function countsOf(summary: Check['summary']): string {
  return (['same', 'changed', 'new', 'removed', 'error'] as const)
    .filter((state) => summary[state] > 0)
    .map((state) => countOfState(summary[state], state))
    .join(', ')
}

const monitorColumns: readonly TableColumn[] = [
  { name: 'id' },
  { name: 'name', shorten: 'end' },
  { name: 'status', dropOrder: 5 },
  { name: 'schedule', shorten: 'end', dropOrder: 1 },
  { name: 'next run', shorten: 'time', dropOrder: 3 },
  { name: 'last check', shorten: 'end', dropOrder: 4 },
]

async function list({ search, ...flags }: ConnectionFlags & { readonly search?: string }): Promise<void> {
  const monitors = await (await createClient(flags)).monitors.list({ limit: 100, search })
  if (flags.json === true) return printJson(monitors)
  printTable(
    monitorColumns,
    monitors.map(({ id, name, status, schedule, nextRunAt, lastCheckSummary: last }) => [
      id,
      name,
      status,
      describeSchedule(schedule),
      nextRunAt ?? '',
      last === null ? 'none' : countsOf(last),
    ]),
  )
}

async function show(id: string, flags: ConnectionFlags): Promise<void> {
  printMonitor(await (await createClient(flags)).monitors.get(id), flags)
}

async function run(id: string, flags: ConnectionFlags): Promise<void> {
  const check = await (await createClient(flags)).monitors.runToEnd(id)
  if (check.status === 'failed' || check.summary.error > 0) process.exitCode = 1
  if (flags.json === true) printJson(check)
  else printDiff(check)
}

function setStatus(status: 'active' | 'paused') {
  return async (id: string, flags: ConnectionFlags): Promise<void> => {
    printMonitor(await (await createClient(flags)).monitors.update(id, { status }), flags)
  }
}

async function remove(id: string, flags: ConnectionFlags): Promise<void> {
  await (await createClient(flags)).monitors.delete(id)
  if (flags.json === true) printJson({ id, deleted: true })
  else print(`monitor ${id}: deleted`)
}

const checkColumns: readonly TableColumn[] = [
  { name: 'id' },
  { name: 'status' },
  { name: 'trigger', dropOrder: 1 },
  { name: 'finished', shorten: 'time', dropOrder: 3 },
  { name: 'pages', shorten: 'end', dropOrder: 4 },
  { name: 'credits', dropOrder: 2 },
]

async function listChecks(
  id: string,
  { limit, ...flags }: ConnectionFlags & { readonly limit?: number },
): Promise<void> {
  const checks = await (await createClient(flags)).monitors.checks(id, { limit })
  if (flags.json === true) return printJson(checks)
  printTable(
    checkColumns,
    checks.map((check) => [
      check.id,
      check.status.replaceAll('_', ' '),
      check.trigger,
      check.finishedAt ?? '',
      countsOf(check.summary),
      String(check.actualCredits ?? ''),
    ]),
  )
}

async function diff(id: string, checkId: string | undefined, flags: ConnectionFlags): Promise<void> {
  const { monitors } = await createClient(flags)
  const chosen = checkId ?? (await monitors.checks(id)).find(({ status }) => !status.startsWith('skipped'))?.id
  if (chosen === undefined) {
    throw new BowlineError('CHECK_NOT_FOUND', `The monitor ${id} has not run yet`, {
      hint: `Run it: \`bowline monitors run ${id}\`.`,
    })
  }
  const check = await monitors.check(id, chosen)
  if (flags.json === true) printJson(check)
  else printDiff(check)
}

function describeSchedule({ text, cron, timezone }: Monitor['schedule']): string {
  return `${text ?? cron} (${timezone})`
}
