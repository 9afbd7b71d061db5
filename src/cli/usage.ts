import { Command } from 'commander'
import type { Balance, UsagePeriod } from '../client/usage.ts'
import { barChart, type Bar } from './bar-chart.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { print, printJson } from '../terminal/print.ts'

interface UsageFlags extends ConnectionFlags {
  readonly byKey?: boolean
  readonly days?: boolean
  readonly tokens?: boolean
}

const barWidth = 40

/** Creates the command `bowline usage`. */
export function createUsageCommand(): Command {
  return withConnectionFlags(new Command('usage'))
    .description('Shows the credits that your team used, by month, and its balance. Months and days are in UTC.')
    .option('--by-key', 'show each API key separately')
    .option('--days', 'show the last 31 days instead of months')
    .option('--tokens', 'count tokens, 15 per credit')
    .action(showUsage)
}

async function showUsage({ byKey = false, days = false, tokens = false, ...flags }: UsageFlags): Promise<void> {
  const bowline = await createClient(flags)
  const [balance, history] = await Promise.all([
    bowline.usage.current(),
    bowline.usage.history({ byApiKey: byKey, period: days ? 'day' : 'month' }),
  ])
  if (flags.json === true) return printJson({ balance, history })
  const bars = history.map((period) => toBar(period, { days, tokens }))
  for (const line of barChart(bars, barWidth)) print(line)
  if (history.length === 0) print('No usage yet.')
  print(describeBalance(balance))
}

function toBar(
  { startDate, apiKey, credits, tokens }: UsagePeriod,
  wanted: { readonly days: boolean; readonly tokens: boolean },
): Bar {
  const time = startDate.slice(0, wanted.days ? 10 : 7)
  return { label: apiKey === undefined ? time : `${time}  ${apiKey}`, value: wanted.tokens ? tokens : credits }
}

function describeBalance({ remainingCredits, planCredits, reservedCredits = 0 }: Balance): string {
  if (remainingCredits === undefined) return 'The team is not metered.'
  const of = planCredits === undefined ? '' : ` of ${planCredits.toLocaleString('en-US')}`
  const reserved = reservedCredits === 0 ? '' : `, ${reservedCredits.toLocaleString('en-US')} reserved for running work`
  return `${remainingCredits.toLocaleString('en-US')}${of} credits left${reserved}.`
}
