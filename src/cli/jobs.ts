import { Command, Option } from 'commander'
import type { Bowline } from '../client/bowline.ts'
import type { JobListOptions } from '../client/jobs.ts'
import { jobKind, jobStatusFilter, type ListedJob } from '../contract/jobs.ts'
import { jobTitles, titleOf } from '../contract/titles.ts'
import { isBowlineError } from '../kit/errors.ts'
import { exitCodeOf } from '../terminal/exit-codes.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printError, printFacts, printJson, printTable } from '../terminal/print.ts'
import { toBowlineError } from '../terminal/to-bowline-error.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { describeTarget } from './describe-target.ts'
import { runBulk } from './run-bulk.ts'
import { numberFrom } from './whole-number.ts'

type ListFlags = ConnectionFlags & Pick<JobListOptions, 'kind' | 'status' | 'search' | 'from' | 'to' | 'limit'>

/** Creates the command `bowline jobs`. Without a subcommand it lists jobs. */
export function createJobsCommand(): Command {
  const command = new Command('jobs').description(
    'List, show and cancel batches, crawls, extractions and agents. Without a command, they are listed.',
  )
  withConnectionFlags(command.command('list', { isDefault: true }))
    .summary('list the jobs of your team, newest first')
    .description(
      'List the jobs of your team, newest first, until a day after their end. The output is a table on a terminal, ' +
        'JSON lines when piped, and one JSON array with --json.',
    )
    .addOption(new Option('--kind <name>', 'only jobs of this kind').choices(jobKind.options))
    .addOption(new Option('--status <name>', 'only jobs with this status').choices(jobStatusFilter.options))
    .option(
      '--search <text>',
      'only jobs whose id or idempotency key starts with this text, or whose URL or prompt contains it',
    )
    .option('--from <time>', 'only jobs created at this time or later, as ISO 8601')
    .option('--to <time>', 'only jobs created before this time, as ISO 8601')
    .option('--limit <count>', 'maximum number of jobs (default: all)', numberFrom(1, Infinity))
    .action(listJobs)
  withConnectionFlags(command.command('show'))
    .description('show the status, counts, credits, times and options of a job')
    .argument('<id>', 'id of the job')
    .action(showJob)
  withConnectionFlags(command.command('documents'))
    .summary('print the documents of a batch or crawl')
    .description(
      'Print the documents of a batch or crawl as `bowline batch` does, and those of a running one until its end. ' +
        'Ctrl-C does not cancel the job.',
    )
    .argument('<id>', 'id of the batch or crawl')
    .action(printDocuments)
  withConnectionFlags(command.command('cancel'))
    .description('cancel batches, crawls and agents; documents that are already scraped remain readable')
    .argument('<id...>', 'ids of jobs')
    .action(cancelJobs)
  return command
}

async function listJobs({ kind, status, search, from, to, limit, ...flags }: ListFlags): Promise<void> {
  const bowline = await createClient(flags)
  const isTable = process.stdout.isTTY && flags.json !== true
  const jobs: ListedJob[] = []
  for await (const job of bowline.jobs({ kind, status, search, from, to, limit })) {
    if (isTable || flags.json === true) jobs.push(job)
    // Prints each line at once, since a reader such as `head` can stop early.
    else print(JSON.stringify(job))
  }
  if (flags.json === true) printJson(jobs)
  else if (isTable) {
    printTable(columns, jobs.map(toRow))
  }
}

const columns: readonly TableColumn[] = [
  { name: 'when', shorten: 'time', dropOrder: 5 },
  { name: 'kind', dropOrder: 6 },
  { name: 'status' },
  { name: 'completed', dropOrder: 4 },
  { name: 'failed', dropOrder: 3 },
  { name: 'pages', dropOrder: 2 },
  { name: 'credits', dropOrder: 1 },
  { name: 'id' },
  { name: 'target', shorten: 'middle', dropOrder: 7 },
]

function toRow(job: ListedJob): readonly string[] {
  const { createdAt, kind, status, completed, failed, creditsUsed, id } = job
  const counts = [completed, failed, pagesOf(job)].map((count) => String(count ?? ''))
  return [createdAt, titleOf(jobTitles, kind).toLowerCase(), status, ...counts, String(creditsUsed), id, targetOf(job)]
}

/** Number of pages, with failed ones: `total` of the API is without them. */
function pagesOf({ total, failed = 0 }: ListedJob): number | undefined {
  return total === undefined ? undefined : total + failed
}

function targetOf(job: ListedJob): string {
  return describeTarget({ kind: job.kind, target: job.target, pages: pagesOf(job) })
}

async function showJob(id: string, flags: ConnectionFlags): Promise<void> {
  const job = await (await createClient(flags)).job(id).details()
  if (flags.json === true) return printJson(job)
  printFacts({
    id: job.id,
    kind: titleOf(jobTitles, job.kind).toLowerCase(),
    status: job.status,
    target: targetOf(job) || undefined,
    'idempotency key': job.idempotencyKey,
    completed: job.completed,
    failed: job.failed,
    pages: pagesOf(job),
    credits: job.creditsUsed,
    created: job.createdAt,
    ended: job.completedAt,
    expires: job.expiresAt,
    error: job.error,
    options: job.options,
    'omitted options': job.omittedOptions?.join(', ') || undefined,
  })
}

async function printDocuments(id: string, flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  await runBulk((how) => bowline.job(id, how), flags, { continues: true })
}

async function cancelJobs(ids: readonly string[], flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  const cancelled = []
  for (const id of ids) {
    try {
      await cancelJob(bowline, id)
      cancelled.push({ id, status: 'cancelled' })
      if (flags.json !== true) print(`job ${id}: cancelled`)
    } catch (error) {
      // A failure must not prevent the cancellation of the others.
      printError(error, flags)
      process.exitCode = exitCodeOf(toBowlineError(error))
    }
  }
  if (flags.json === true) printJson(cancelled)
}

async function cancelJob(bowline: Bowline, id: string): Promise<void> {
  try {
    await bowline.job(id).cancel()
  } catch (error) {
    if (!isBowlineError(error) || error.code !== 'JOB_NOT_FOUND') throw error
    // Agents have a route of their own. The first error fits an id that is no agent either.
    await bowline.cancelAgent(id).catch((reason: unknown) => {
      throw isBowlineError(reason) && reason.code === 'AGENT_NOT_FOUND' ? error : reason
    })
  }
}
