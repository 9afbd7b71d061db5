import { Command, Option } from 'commander'
import { activityEndpoints, type ActivityEndpoint } from '../contract/activity.ts'
import type { ActivityRecord } from '../client/activity.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { print, printJson, printTable } from '../terminal/print.ts'
import { numberFrom } from './whole-number.ts'

interface ActivityFlags extends ConnectionFlags {
  readonly endpoint?: ActivityEndpoint
  readonly limit?: number
}

/** Creates the command `bowline activity`. */
export function createActivityCommand(): Command {
  return withConnectionFlags(new Command('activity'))
    .description(
      'Lists the API calls of your team in the last 24 hours that started work, newest first. Prints a table on a ' +
        'terminal and JSON lines when piped.',
    )
    .addOption(new Option('--endpoint <name>', 'only calls of this kind').choices(activityEndpoints))
    .option('--limit <count>', 'maximum number of calls (default: all)', numberFrom(1, Infinity))
    .action(listActivity)
}

async function listActivity({ endpoint, limit = Infinity, ...flags }: ActivityFlags): Promise<void> {
  const bowline = await createClient(flags)
  const isTable = process.stdout.isTTY && flags.json !== true
  const records: ActivityRecord[] = []
  let count = 0
  if (limit > 0) {
    for await (const record of bowline.activity({ endpoint })) {
      count += 1
      if (isTable || flags.json === true) records.push(record)
      // Prints each line at once, since a reader such as `head` can stop early.
      else print(JSON.stringify(record))
      if (count >= limit) break
    }
  }
  if (flags.json === true) printJson(records)
  else if (isTable) printTable(['when', 'endpoint', 'version', 'id', 'target'], records.map(toRow))
}

function toRow({ createdAt, endpoint, apiVersion, id, target }: ActivityRecord): readonly string[] {
  return [createdAt, endpoint, apiVersion, id, target ?? '']
}
