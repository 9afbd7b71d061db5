// A program: does page work in a thread of its own, one job at a time.
import { getHeapStatistics } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { isBowlineError } from 'bowline/kit/errors'
import { workOnPage, type PageJob, type PageResult } from './process-html.ts'

/** What the thread answers to a job. */
export type WorkAnswer = WorkOutcome & {
  /** Bytes that the heap of the thread takes by now. */
  readonly heapBytes: number
}

type WorkOutcome =
  | { readonly kind: 'done'; readonly result: PageResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly hint: string | undefined }

function answer(job: PageJob): WorkOutcome {
  try {
    return { kind: 'done', result: workOnPage(job) }
  } catch (error) {
    const message = Error.isError(error) ? error.message : String(error)
    return isBowlineError(error)
      ? { kind: 'failed', code: error.code, message, hint: error.hint }
      : {
          kind: 'failed',
          code: 'SCRAPE_SITE_ERROR',
          message: `The page could not be read: ${message}`,
          hint: undefined,
        }
  }
}

parentPort?.on('message', (job: PageJob) => {
  const outcome = answer(job)
  parentPort?.postMessage({ ...outcome, heapBytes: getHeapStatistics().total_heap_size } satisfies WorkAnswer)
})
