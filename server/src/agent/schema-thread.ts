import { extname } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { FairThread } from '../kit/fair-thread.ts'
import type { SchemaJob, SchemaOutcome } from './schema-worker.ts'

/** Checks results of an agent. Returns what is wrong, or `undefined`. */
export type CheckResult = (data: unknown) => Promise<string | undefined>

type Schema = Readonly<Record<string, unknown>>

const program = new URL(`./schema-worker${extname(import.meta.filename)}`, import.meta.url)

const limits = { heapMb: 256, limitMs: 6000 }

/**
 * Checks results against JSON Schemas of users in a worker thread, one at a time and fairly between
 * teams. A schema can take 2.5 s to compile and 2.5 s to check.
 */
export class SchemaThread implements AsyncDisposable {
  readonly #thread = new FairThread<SchemaJob, SchemaOutcome>(program, limits)

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
    await this.#thread[Symbol.asyncDispose]()
  }

  async #run(teamId: string, job: SchemaJob): Promise<string | undefined> {
    const outcome = await this.#thread.run(teamId, job)
    if (this.#thread.isDisposed) throw new BowlineError('DRAINING', 'This server is shutting down')
    const { invalid, problem } = outcome ?? { invalid: 'checking it took too much time or memory' }
    if (invalid !== undefined) throw new BowlineError('BAD_REQUEST', `Invalid JSON schema: ${invalid}`)
    return problem
  }
}
