// Program of a worker thread: processes one page at a time.
import { getHeapStatistics } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { RedactOptions } from 'bowline/contract/redaction'
import { processHtml, type HtmlJob, type ProcessedHtml } from './process-html.ts'
import { redactPersonalData } from './redact-personal-data.ts'

/** Work of a thread: a page to process, or a text from which to redact personal data. */
export type ThreadJob =
  | { readonly kind: 'page'; readonly page: HtmlJob }
  | { readonly kind: 'redact'; readonly text: string; readonly options: RedactOptions }

/** The response of a worker thread to a job. */
export type WorkerResponse = WorkerOutcome & {
  /** Current heap size of the thread, in bytes. */
  readonly heapBytes: number
}

type WorkerOutcome =
  | { readonly kind: 'done'; readonly result: ProcessedHtml | string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly hint: string | undefined }

function run(job: ThreadJob): WorkerOutcome {
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

parentPort?.on('message', (job: ThreadJob) => {
  const outcome = run(job)
  parentPort?.postMessage({ ...outcome, heapBytes: getHeapStatistics().total_heap_size } satisfies WorkerResponse)
})
