import { Command, Option } from 'commander'
import { recordedEndpoints, type ActivityEndpoint } from '../contract/activity.ts'
import type { ActivityRecord } from '../client/activity.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printJson, printTable } from '../terminal/print.ts'
import { describeTarget } from './describe-target.ts'
import { numberFrom } from './whole-number.ts'

interface ActivityFlags extends ConnectionFlags {
  readonly endpoint?: ActivityEndpoint
  readonly search?: string
  readonly failed?: true
  readonly from?: string
  readonly to?: string
  readonly limit?: number
}

/** Creates the command `bowline activity`. */
export function createActivityCommand(): Command {
  return withConnectionFlags(new Command('activity'))
    .description(
      'List the API calls of your team in the last 24 hours that started work, newest first. The output is a table on ' +
        'a terminal, JSON lines when piped, and one JSON array with --json.',
    )
    .addOption(new Option('--endpoint <name>', 'only calls of this kind').choices(recordedEndpoints))
    .option('--search <text>', 'only calls whose id starts with this text, or whose target or error code contain it')
    .option('--failed', 'only failed calls')
    .option('--from <time>', 'only calls at this time or later, as ISO 8601')
    .option('--to <time>', 'only calls before this time, as ISO 8601')
    .option('--limit <count>', 'maximum number of calls (default: all)', numberFrom(1, Infinity))
    .action(listActivity)
}

async function listActivity(options: ActivityFlags): Promise<void> {
  const { endpoint, search, failed, from, to, limit = Infinity, ...flags } = options
  const bowline = await createClient(flags)
  const isTable = process.stdout.isTTY && flags.json !== true
  const records: ActivityRecord[] = []
  let count = 0
  for await (const record of bowline.activity({ endpoint, search, failed, from, to })) {
    count += 1
    if (isTable || flags.json === true) records.push(record)
    // Prints each line at once, since a reader such as `head` can stop early.
    else print(JSON.stringify(record))
    if (count >= limit) break
  }
  if (flags.json === true) printJson(records)
  else if (isTable) printTable(columns, records.map(toRow))
}

const columns: readonly TableColumn[] = [
  { name: 'when', shorten: 'time', dropOrder: 3 },
  { name: 'endpoint', dropOrder: 4 },
  { name: 'version', dropOrder: 1 },
  { name: 'id', dropOrder: 2 },
  { name: 'target', shorten: 'middle', minWidth: 24 },
]

function toRow({ createdAt, endpoint, apiVersion, id, target, pages }: ActivityRecord): readonly string[] {
  return [createdAt, endpoint.replaceAll('_', ' '), apiVersion, id, describeTarget({ kind: endpoint, target, pages })]
}
