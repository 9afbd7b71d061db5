import { styleText } from 'node:util'
import type { Command } from 'commander'
import type { BulkOptions, BulkProgress, BulkRun } from '../client/bulk-run.ts'
import type { BulkErrors } from '../contract/bulk.ts'
import type { Document } from '../contract/document.ts'
import { catalogue, type ErrorCode } from '../kit/catalogue.ts'
import type { ConnectionFlags } from './connection.ts'
import { showProgress } from './bulk-progress.ts'
import { print, printJson, printNote } from '../terminal/print.ts'

const onErrors = { stream: process.stderr }

/** Flags of commands that run a job. With `json` they print its whole result as one value. */
export interface BulkFlags extends ConnectionFlags {
  /** Continues with the job that was started with this key. */
  readonly idempotencyKey?: string
}

/** Adds the flags of a job to a command, except those of the connection. */
export function withBulkFlags(command: Command): Command {
  return command.option(
    '--idempotency-key <key>',
    'name of this job; running the command again with the same key continues with the job instead of starting another',
  )
}

/** Exit code of commands that Ctrl-C has ended. */
const cancelledCode = 130

/**
 * Runs a job and prints one line per page on a terminal, or one JSON document per line when piped.
 * Ctrl-C ends it with exit code 130, and cancels a job without an idempotency key. The exit code is
 * 1 if pages failed or URLs were invalid.
 */
export async function runBulk(
  start: (how: BulkOptions) => BulkRun,
  { json = false, idempotencyKey }: BulkFlags,
): Promise<void> {
  using bar = showProgress()
  const stop = new AbortController()
  const onSignal = (): void => stop.abort(new Error('Cancelled'))
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  let last: BulkProgress | undefined
  let printed = 0
  const onProgress = (progress: BulkProgress): void => {
    last = progress
    bar.update(progress)
  }
  try {
    const run = start({ signal: stop.signal, onProgress, idempotencyKey })
    if (json) {
      const result = await run
      if (result.errors.length + result.invalidUrls.length > 0) process.exitCode = 1
      return printJson(result)
    }
    for await (const document of run) {
      print(process.stdout.isTTY ? toLine(document) : JSON.stringify(document))
      printed += 1
    }
    const { errors, robotsBlocked } = await run.errors()
    const invalidUrls = await run.invalidUrls()
    bar[Symbol.dispose]()
    for (const { url, code, error } of errors) {
      printNote(styleText('red', `${code ?? 'failed'}  ${url}  ${error}`, onErrors))
    }
    for (const hint of hintsOf(errors)) printNote(styleText('dim', hint, onErrors))
    for (const url of robotsBlocked) printNote(styleText('dim', `disallowed by robots.txt  ${url}`, onErrors))
    for (const url of invalidUrls) printNote(styleText('red', `invalid URL, skipped  ${url}`, onErrors))
    printNote(`${last?.completed ?? 0} pages, ${errors.length} failed, ${last?.creditsUsed ?? 0} credits`)
    if (errors.length + invalidUrls.length > 0) process.exitCode = 1
  } catch (error) {
    if (!stop.signal.aborted) throw error
    bar[Symbol.dispose]()
    if (idempotencyKey === undefined) {
      const pages = printed === 1 ? '1 page' : `${printed} pages`
      printNote(
        `Cancelled. ${pages} printed; at least ${last?.creditsUsed ?? 0} credits. \`bowline jobs\` shows the final bill.`,
      )
    } else {
      printNote('Stopped. The job continues. Run the same command again to receive its pages.')
    }
    process.exitCode = cancelledCode
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

/** Returns the hints of the error codes, each once. */
function hintsOf(errors: BulkErrors['errors']): readonly string[] {
  const codes = [...new Set(errors.map(({ code }) => code))]
  return codes.flatMap((code) => {
    const hint = code === undefined || !(code in catalogue) ? undefined : catalogue[code as ErrorCode].hint
    return hint === undefined ? [] : [`${code}: ${hint}`]
  })
}

function toLine({ metadata }: Document): string {
  const { statusCode = 0, title, sourceURL } = metadata
  const code = styleText(statusCode < 400 ? 'green' : 'red', String(statusCode))
  return `${code}  ${sourceURL ?? metadata.url ?? ''}  ${styleText('dim', [title ?? []].flat()[0] ?? '')}`
}
