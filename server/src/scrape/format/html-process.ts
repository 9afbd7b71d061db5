// Program of a process: processes one page, or the texts of one, at a time.
import { getHeapStatistics } from 'node:v8'
import { Script } from 'node:vm'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { RedactOptions } from 'bowline/contract/redaction'
import { compareTexts } from './git-diff.ts'
import type { LineDiff } from './line-diff.ts'
import { processHtml, type HtmlJob, type ProcessedHtml } from './process-html.ts'
import { handleMessages } from '../../kit/handle-messages.ts'
import { limitHeapGrowth } from '../../kit/limit-heap-growth.ts'
import { redactPersonalData } from './redact-personal-data.ts'

/**
 * Work of a process: a page to process, a text from which to redact personal data, or two texts to
 * compare.
 */
export type ProcessJob =
  | { readonly kind: 'page'; readonly page: HtmlJob }
  | { readonly kind: 'redact'; readonly text: string; readonly options: RedactOptions }
  | { readonly kind: 'compare'; readonly before: string; readonly after: string }

/** Result of a job, by its kind. */
export interface ProcessResults {
  readonly page: ProcessedHtml
  readonly redact: string
  readonly compare: LineDiff
}

/** The response of a process to a job. */
export type ProcessResponse = ProcessOutcome & {
  /** Current heap size of the process, in bytes. */
  readonly heapBytes: number
}

type ProcessOutcome =
  | { readonly kind: 'done'; readonly result: ProcessResults[ProcessJob['kind']] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly hint: string | undefined }

function resultOf(job: ProcessJob): ProcessResults[ProcessJob['kind']] {
  switch (job.kind) {
    case 'page':
      return processHtml(job.page)
    case 'redact':
      return redactPersonalData(job.text, job.options)
    case 'compare':
      return compareTexts(job.before, job.after)
  }
  return job satisfies never
}

function run(job: ProcessJob): ProcessOutcome {
  try {
    return { kind: 'done', result: resultOf(job) }
  } catch (error) {
    const message = messageOf(error)
    return isBowlineError(error)
      ? { kind: 'failed', code: error.code, message, hint: error.hint }
      : {
          kind: 'failed',
          code: 'SCRAPE_SITE_ERROR',
          message: `The page could not be processed: ${message}`,
          hint: undefined,
        }
  }
}

/**
 * Milliseconds after which a job ends by itself. The server ends it much earlier, unless the server
 * was killed.
 */
const maxJobMs = 60_000

declare global {
  var runJob: () => ProcessOutcome // oxlint-disable-line no-var -- a global variable
}

const script = new Script('runJob()')

limitHeapGrowth()

handleMessages((job: ProcessJob): ProcessResponse => {
  globalThis.runJob = () => run(job)
  const outcome = script.runInThisContext({ timeout: maxJobMs }) as ProcessOutcome
  return { ...outcome, heapBytes: getHeapStatistics().total_heap_size }
})
