import { Command } from 'commander'
import type { Balance, UsagePeriod } from '../client/usage.ts'
import { barChart, type Bar } from './bar-chart.ts'
import type { Bowline } from '../client/bowline.ts'
import { dayMs } from '../kit/day-ms.ts'
import { costTitles, titleOf } from '../contract/titles.ts'
import { describeTarget } from './describe-target.ts'
import { wholeNumber } from './whole-number.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printJson, printTable } from '../terminal/print.ts'

interface UsageFlags extends ConnectionFlags {
  readonly byKey?: boolean
  readonly byKind?: boolean
  readonly top?: number
  readonly days?: boolean
  readonly tokens?: boolean
}

const maxBarWidth = 40

/** Days of `--top`, as many as those of `--days`. */
const topDays = 31

/** Creates the command `bowline usage`. */
export function createUsageCommand(): Command {
  return withConnectionFlags(new Command('usage'))
    .description('Show the credits that your team used, by month, and its balance. Months and days are in UTC.')
    .option('--by-key', 'show each API key separately')
    .option('--by-kind', 'show each kind of work separately: sessions, scrapes, jobs, monitors, …')
    .option('--top <count>', 'list the most expensive sessions, jobs and monitors of the last 31 days', wholeNumber)
    .option('--days', 'show the last 31 days instead of months')
    .option('--tokens', 'count tokens, 15 per credit')
    .action(showUsage)
}

async function showUsage(flags: UsageFlags): Promise<void> {
  const bowline = await createClient(flags)
  if (flags.top !== undefined) return showCosts(bowline, flags.top, flags)
  const { byKey = false, byKind = false, days = false, tokens = false } = flags
  const [balance, history] = await Promise.all([
    bowline.usage.current(),
    bowline.usage.history({ byApiKey: byKey, byKind, period: days ? 'day' : 'month' }),
  ])
  if (flags.json === true) return printJson({ balance, history })
  const bars = history.map((period) => toBar(period, { days, tokens }))
  const { isTTY, columns } = process.stdout
  for (const line of barChart(bars, maxBarWidth, isTTY && columns > 0 ? columns : Infinity)) print(line)
  if (history.length === 0) print('No usage yet.')
  print(describeBalance(balance))
}

const costColumns: readonly TableColumn[] = [
  { name: 'credits' },
  { name: 'kind', dropOrder: 2 },
  { name: 'id' },
  { name: 'started', shorten: 'time', dropOrder: 1 },
  { name: 'target', shorten: 'middle', dropOrder: 3 },
]

async function showCosts(bowline: Bowline, limit: number, { json }: UsageFlags): Promise<void> {
  const from = new Date(Date.now() - topDays * dayMs)
  const costs = await bowline.usage.costs({ from, limit })
  if (json === true) return printJson(costs)
  printTable(
    costColumns,
    costs.map(({ credits, kind, id, createdAt, target, pages }) => [
      String(credits),
      titleOf(costTitles, kind).toLowerCase(),
      id,
      createdAt,
      describeTarget({ kind, target, pages }),
    ]),
  )
}

function toBar(
  { startDate, apiKey, kind, credits, tokens }: UsagePeriod,
  wanted: { readonly days: boolean; readonly tokens: boolean },
): Bar {
  const time = startDate.slice(0, wanted.days ? 10 : 7)
  const label = [time, apiKey, kind].filter((each) => each !== undefined).join('  ')
  return { label, value: wanted.tokens ? tokens : credits }
}

function describeBalance({ remainingCredits, planCredits, reservedCredits = 0 }: Balance): string {
  if (remainingCredits === undefined) return 'The team is not metered.'
  const of = planCredits === undefined ? '' : ` of ${planCredits.toLocaleString('en-US')}`
  const reserved = reservedCredits === 0 ? '' : `, ${reservedCredits.toLocaleString('en-US')} reserved for running work`
  return `${remainingCredits.toLocaleString('en-US')}${of} ${planCredits === undefined && remainingCredits === 1 ? 'credit' : 'credits'} left${reserved}.`
}
