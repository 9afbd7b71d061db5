import { Command, Option } from 'commander'
import type { JobListOptions } from '../client/jobs.ts'
import { jobKind, jobStatusFilter, type ListedJob } from '../contract/jobs.ts'
import { print, printJson, printTable } from '../terminal/print.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { numberFrom } from './whole-number.ts'

interface JobFlags extends ConnectionFlags, Pick<JobListOptions, 'kind' | 'status' | 'search' | 'from' | 'to'> {
  readonly limit?: number
}

/** Creates the command `bowline jobs`. */
export function createJobsCommand(): Command {
  return withConnectionFlags(new Command('jobs'))
    .description(
      'Lists the batches, crawls, extractions and agents of your team with their status, newest first, until a day ' +
        'after their end. Prints a table on a terminal and JSON lines when piped.',
    )
    .addOption(new Option('--kind <name>', 'only jobs of this kind').choices(jobKind.options))
    .addOption(new Option('--status <name>', 'only jobs with this status').choices(jobStatusFilter.options))
    .option('--search <text>', 'only jobs whose id starts with this text, or whose URL or prompt contains it')
    .option('--from <time>', 'only jobs created at this time or later, as ISO 8601')
    .option('--to <time>', 'only jobs created before this time, as ISO 8601')
    .option('--limit <count>', 'maximum number of jobs (default: all)', numberFrom(1, Infinity))
    .action(listJobs)
}

async function listJobs({ kind, status, search, from, to, limit = Infinity, ...flags }: JobFlags): Promise<void> {
  const bowline = await createClient(flags)
  const isTable = process.stdout.isTTY && flags.json !== true
  const jobs: ListedJob[] = []
  let count = 0
  for await (const job of bowline.jobs({ kind, status, search, from, to, pageSize: Math.min(limit, 100) })) {
    count += 1
    if (isTable || flags.json === true) jobs.push(job)
    // Prints each line at once, since a reader such as `head` can stop early.
    else print(JSON.stringify(job))
    if (count >= limit) break
  }
  if (flags.json === true) printJson(jobs)
  else if (isTable) printTable(['when', 'kind', 'status', 'pages', 'id', 'target'], jobs.map(toRow))
}

function toRow({ createdAt, kind, status, completed, total, id, target = '' }: ListedJob): readonly string[] {
  return [createdAt, kind, status, total === undefined ? '' : `${completed} of ${total}`, id, target]
}
