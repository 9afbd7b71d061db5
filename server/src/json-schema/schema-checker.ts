import { extname } from 'node:path'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { FairProcess } from '../kit/fair-process.ts'
import type { SchemaJob, SchemaOutcome } from './schema-process.ts'

/** Checks data. Returns what is wrong, or `undefined`. */
export type CheckResult = (data: unknown) => Promise<string | undefined>

type Schema = Readonly<Record<string, unknown>>

const program = new URL(`./schema-process${extname(import.meta.filename)}`, import.meta.url)

const limits = { heapMb: 256, limitMs: 12_000 }

/**
 * Checks data against JSON Schemas of users in a process, one at a time and fairly between
 * teams. A schema can take 5 s to compile and 5 s to check. The code compiled for one of 76 kB
 * can exceed the heap in one operation, which in a thread would end the server.
 */
export class SchemaChecker implements AsyncDisposable {
  readonly #process = new FairProcess<SchemaJob, SchemaOutcome>(program, limits)

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

  /** Returns a warning about data of a language model that does not match, or `undefined`. */
  async warningAbout(teamId: string, schema: Schema | undefined, data: unknown): Promise<string | undefined> {
    if (schema === undefined) return undefined
    try {
      const problem = await this.#run(teamId, { schema, result: { data } })
      return problem && `The data of the language model does not match the schema: ${problem}.`
    } catch (error) {
      if (!isBowlineError(error)) throw error
      return `The data of the language model was not checked against the schema. ${error.message}.`
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }

  async #run(teamId: string, job: SchemaJob): Promise<string | undefined> {
    const outcome = await this.#process.run(teamId, job)
    if (this.#process.isDisposed) throw new BowlineError('DRAINING', 'This server is shutting down')
    const { invalid, problem } = outcome ?? { invalid: 'checking it took too much time or memory' }
    if (invalid !== undefined) throw new BowlineError('BAD_REQUEST', `Invalid JSON schema: ${invalid}`)
    return problem
  }
}
