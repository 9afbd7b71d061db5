import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { BowlineError } from 'bowline/kit/errors'
import { FairQueue } from '../kit/fair-queue.ts'
import { threadEnvironment } from '../kit/thread-environment.ts'
import type { SchemaJob, SchemaOutcome } from './schema-worker.ts'

/** Checks results of an agent. Returns what is wrong, or `undefined`. */
export type CheckResult = (data: unknown) => Promise<string | undefined>

type Schema = Readonly<Record<string, unknown>>

/** Maximum duration of one job in milliseconds. The thread interrupts its own work before. */
const limitMs = 6000

const heapMb = 256

/**
 * Checks results against JSON Schemas of users in a worker thread, one at a time and fairly between
 * teams. A schema can take 2.5 s to compile and 2.5 s to check.
 */
export class SchemaThread implements AsyncDisposable {
  readonly #turns = new FairQueue()
  #worker: Worker | undefined
  #isDisposed = false

  /** Checks a schema itself. Throws BAD_REQUEST or DRAINING. */
  async assertValid(teamId: string, schema: Schema | undefined): Promise<void> {
    if (schema !== undefined) await this.#run(teamId, { schema })
  }

  /**
   * Returns a function that checks results against a schema. It throws BAD_REQUEST for an invalid
   * schema, or DRAINING. Without a schema, every result is right.
   */
  checkerOf(teamId: string, schema: Schema | undefined): CheckResult {
    return async (data) => (schema === undefined ? undefined : this.#run(teamId, { schema, result: { data } }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#worker?.terminate()
  }

  async #run(teamId: string, job: SchemaJob): Promise<string | undefined> {
    const { invalid, problem } = await this.#turns.run(teamId, async () => this.#execute(job))
    // The thread was terminated by the shutdown, so the schema is not to blame.
    if (this.#isDisposed) throw new BowlineError('DRAINING', 'This server is shutting down')
    if (invalid !== undefined) throw new BowlineError('BAD_REQUEST', `Invalid JSON schema: ${invalid}`)
    return problem
  }

  async #execute(job: SchemaJob): Promise<SchemaOutcome> {
    if (this.#isDisposed) return {}
    const worker = (this.#worker ??= await start())
    if (this.#isDisposed) {
      await worker.terminate()
      return {}
    }
    const failed = new AbortController()
    const timer = setTimeout(() => failed.abort(), limitMs)
    const onExit = (): void => failed.abort()
    worker.once('exit', onExit)
    try {
      const answered = once(worker, 'message', { signal: failed.signal })
      worker.postMessage(job)
      const [outcome] = (await answered) as [SchemaOutcome]
      return outcome
    } catch {
      this.#worker = undefined
      await worker.terminate()
      return { invalid: 'checking it took too much time or memory' }
    } finally {
      clearTimeout(timer)
      worker.off('exit', onExit)
    }
  }
}

async function start(): Promise<Worker> {
  const worker = new Worker(new URL(`./schema-worker${extname(import.meta.filename)}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    env: threadEnvironment(),
  })
  worker.on('error', () => undefined)
  // Loading the thread's modules must not count as checking time: it takes seconds on a busy machine.
  await once(worker, 'message')
  worker.unref()
  return worker
}
