// Program of a process: processes one page at a time.
import { getHeapStatistics } from 'node:v8'
import { Script } from 'node:vm'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { RedactOptions } from 'bowline/contract/redaction'
import { processHtml, type HtmlJob, type ProcessedHtml } from './process-html.ts'
import { handleMessages } from '../../kit/handle-messages.ts'
import { limitHeapGrowth } from '../../kit/limit-heap-growth.ts'
import { redactPersonalData } from './redact-personal-data.ts'

/** Work of a process: a page to process, or a text from which to redact personal data. */
export type ProcessJob =
  | { readonly kind: 'page'; readonly page: HtmlJob }
  | { readonly kind: 'redact'; readonly text: string; readonly options: RedactOptions }

/** The response of a process to a job. */
export type ProcessResponse = ProcessOutcome & {
  /** Current heap size of the process, in bytes. */
  readonly heapBytes: number
}

type ProcessOutcome =
  | { readonly kind: 'done'; readonly result: ProcessedHtml | string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly hint: string | undefined }

function run(job: ProcessJob): ProcessOutcome {
  try {
    const result = job.kind === 'page' ? processHtml(job.page) : redactPersonalData(job.text, job.options)
    return { kind: 'done', result }
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
