import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { abortable, type Abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { FairQueue } from '../../kit/fair-queue.ts'
import { documentTooLarge } from './document-errors.ts'
import type { DocumentJob, DocumentOutcome } from './document-thread.ts'
import { RunningTimeout } from '../../kit/running-timeout.ts'
import { threadEnvironment } from '../../kit/thread-environment.ts'

/** Documents converted at the same time. */
const maxThreads = 2

/** Heap of a thread. Unpacked files are limited on their own. */
const heapMb = 512

/** Options of `DocumentThreads`. */
export interface DocumentThreadsOptions {
  /** Time limit for one document in milliseconds. Default: 30000. */
  readonly timeoutMs?: number | undefined
}

/**
 * Converts documents to HTML, each in its own thread: one that hangs or exhausts its memory costs a
 * thread, not the server. Shares the threads fairly between teams.
 */
export class DocumentThreads {
  readonly #turns = new FairQueue(maxThreads)
  readonly #timeoutMs: number

  constructor({ timeoutMs = 30_000 }: DocumentThreadsOptions = {}) {
    this.#timeoutMs = timeoutMs
  }

  /**
   * Converts a document of a team to a page of HTML. Throws DOCUMENT_INVALID, DOCUMENT_ENCRYPTED,
   * DOCUMENT_TOO_LARGE, or the signal's reason.
   */
  async convert(job: DocumentJob, teamId: string, { signal }: Abortable = {}): Promise<string> {
    return this.#turns.run(teamId, async () => this.#convertNow(job, signal), signal)
  }

  async #convertNow(job: DocumentJob, signal: AbortSignal | undefined): Promise<string> {
    using limit = new RunningTimeout(this.#timeoutMs)
    const response = Promise.withResolvers<DocumentOutcome>()
    const worker = new Worker(new URL(`./document-thread${extname(import.meta.filename)}`, import.meta.url), {
      workerData: job,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      env: threadEnvironment(),
    })
    const name = `${job.kind.toUpperCase()} file of ${(job.bytes.length / 1e6).toFixed(2)} MB`
    worker.on('message', response.resolve)
    worker.on('error', () => response.reject(documentTooLarge(`The ${name} needs more than ${heapMb} MB of memory`)))
    try {
      const outcome = await abortable(response.promise, mergeSignals(limit.signal, signal))
      if ('html' in outcome) return outcome.html
      throw new BowlineError(outcome.code, outcome.message, { hint: outcome.hint })
    } catch (error) {
      signal?.throwIfAborted()
      if (limit.isOver) throw documentTooLarge(`The ${name} was not read within ${this.#timeoutMs / 1000} s`)
      throw error
    } finally {
      await worker.terminate()
    }
  }
}
