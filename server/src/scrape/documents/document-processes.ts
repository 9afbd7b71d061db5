import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { abortable, type Abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { FairQueue } from '../../kit/fair-queue.ts'
import { forkHelper } from '../../kit/fork-helper.ts'
import { documentTooLarge } from './document-errors.ts'
import type { DocumentJob, DocumentOutcome } from './document-process.ts'
import { RunningTimeout } from '../../kit/running-timeout.ts'

/** Documents converted at the same time. */
const maxProcesses = 2

const program = fileURLToPath(new URL(`./document-process${extname(import.meta.filename)}`, import.meta.url))

/** Options of `DocumentProcesses`. */
export interface DocumentProcessesOptions {
  /** Time limit for one document in milliseconds. Default: 30000. */
  readonly timeoutMs?: number | undefined
  /**
   * Limit of the JavaScript heap of a process in megabytes. Unpacked files are limited on their
   * own. Default: 512.
   */
  readonly heapMb?: number | undefined
}

/**
 * Converts documents to HTML, each in its own process, and shares the processes fairly between
 * teams.
 */
export class DocumentProcesses {
  readonly #turns = new FairQueue(maxProcesses)
  readonly #timeoutMs: number
  readonly #heapMb: number

  constructor({ timeoutMs = 30_000, heapMb = 512 }: DocumentProcessesOptions = {}) {
    this.#timeoutMs = timeoutMs
    this.#heapMb = heapMb
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
    const child = forkHelper(program, this.#heapMb)
    const exited = once(child, 'close').catch(() => undefined)
    const name = `${job.kind.toUpperCase()} file of ${(job.bytes.length / 1e6).toFixed(2)} MB`
    child.on('message', response.resolve)
    child.once('error', response.reject)
    child.once('exit', () =>
      response.reject(documentTooLarge(`The ${name} needs more than ${this.#heapMb} MB of memory`)),
    )
    try {
      child.send(job, () => undefined)
      const outcome = await abortable(response.promise, mergeSignals(limit.signal, signal))
      if ('html' in outcome) return outcome.html
      throw new BowlineError(outcome.code, outcome.message, { hint: outcome.hint })
    } catch (error) {
      signal?.throwIfAborted()
      if (limit.isOver) throw documentTooLarge(`The ${name} was not read within ${this.#timeoutMs / 1000} s`)
      throw error
    } finally {
      child.kill('SIGKILL')
      await exited
    }
  }
}
