import { styleText } from 'node:util'
import type { Command } from 'commander'
import type { BulkOptions, BulkProgress, BulkResult, BulkRun } from '../client/bulk-run.ts'
import type { Document } from '../contract/document.ts'
import { countOf } from '../kit/count-of.ts'
import { abortOnSignals } from './abort-on-signals.ts'
import type { ConnectionFlags } from './connection.ts'
import { showProgress } from './bulk-progress.ts'
import { isUnpaid, printBulkEnd, printUnpaid } from './print-bulk-end.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { print, printJson, printNote } from '../terminal/print.ts'

/** Flags of commands that run a job. With `json` they print its whole result as one value. */
export interface BulkFlags extends ConnectionFlags {
  /** Continues with the job that was started with this key. */
  readonly idempotencyKey?: string
  /** URL that receives the events of the job. */
  readonly webhook?: string
}

/** Adds the flags of a job to a command, except those of the connection. */
export function withBulkFlags(command: Command): Command {
  return command
    .option(
      '--idempotency-key <key>',
      'name of this job; running the command again with the same key continues with the job instead of starting another',
    )
    .option('--webhook <url>', 'URL that receives the events of the job')
}

/**
 * Runs a job and prints one line per page on a terminal, or one JSON document per line when piped.
 * Ctrl-C and SIGTERM end it with the exit code of the signal, and cancel the job unless it
 * `continues` (default: with an idempotency key). The exit code is 6 if the credits were used up,
 * and otherwise 1 if pages failed or URLs were invalid.
 */
export async function runBulk(
  start: (how: BulkOptions) => BulkRun,
  { json = false, idempotencyKey }: BulkFlags,
  { continues = idempotencyKey !== undefined }: { readonly continues?: boolean } = {},
): Promise<void> {
  using bar = showProgress()
  using stop = abortOnSignals()
  let progress: BulkProgress | undefined
  let printed = 0
  let httpErrors = 0
  const onProgress = (step: BulkProgress): void => {
    progress = step
    bar.update(step)
  }
  try {
    const run = start({ signal: stop.signal, onProgress, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) })
    if (json) {
      const result = await run
      process.exitCode = exitCodeOfPages(result)
      bar[Symbol.dispose]()
      printUnpaid(result)
      return printJson(result)
    }
    for await (const document of run) {
      print(process.stdout.isTTY ? toLine(document) : JSON.stringify(document))
      printed += 1
      if ((document.metadata.statusCode ?? 0) >= 400) httpErrors += 1
    }
    const { errors, robotsBlocked } = await run.errors()
    const invalidUrls = await run.invalidUrls()
    bar[Symbol.dispose]()
    printBulkEnd({ progress, errors, robotsBlocked, invalidUrls, httpErrors })
    process.exitCode = exitCodeOfPages({ errors, invalidUrls })
  } catch (error) {
    if (!stop.signal.aborted) throw error
    bar[Symbol.dispose]()
    printNote(continues ? stoppedNote(progress) : cancelledNote(progress, printed))
    process.exitCode = stop.exitCode
  }
}

/** Returns the exit code for the failed pages of a job that has ended. */
function exitCodeOfPages({ errors, invalidUrls }: Pick<BulkResult, 'errors' | 'invalidUrls'>): number {
  if (errors.some(isUnpaid)) return exitCodes.limit.code
  return errors.length + invalidUrls.length > 0 ? exitCodes.failure.code : exitCodes.success.code
}

function stoppedNote(progress: BulkProgress | undefined): string {
  if (progress !== undefined && progress.status !== 'scraping') return 'Stopped.'
  const note = 'Stopped. The job continues. Run the same command again to receive its pages.'
  return progress === undefined ? note : `${note} To cancel it, run \`bowline jobs cancel ${progress.id}\`.`
}

function cancelledNote(progress: BulkProgress | undefined, printed: number): string {
  const bill = progress === undefined ? '`bowline jobs`' : `\`bowline jobs show ${progress.id}\``
  const credits = progress?.creditsUsed ?? 0
  const progressed =
    printed === 0 && credits === 0
      ? 'before the first page'
      : `after ${countOf(printed, 'page')} and at least ${countOf(credits, 'credit')}`
  return `Cancelled ${progressed}. ${bill} shows the final bill.`
}

function toLine({ metadata }: Document): string {
  const { statusCode = 0, title, sourceURL } = metadata
  const code = styleText(statusCode < 400 ? 'green' : 'red', String(statusCode))
  return `${code}  ${sourceURL ?? metadata.url ?? ''}  ${styleText('dim', [title ?? []].flat()[0] ?? '')}`
}
