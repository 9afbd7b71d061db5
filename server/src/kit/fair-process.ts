import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { abortable } from 'bowline/kit/abort'
import { FairQueue } from './fair-queue.ts'
import { forkHelper, killHelper } from './fork-helper.ts'
import { RunningTimeout } from './running-timeout.ts'

/** Limits of a `FairProcess`. */
export interface FairProcessLimits {
  readonly heapMb: number
  /** Maximum duration of a job in milliseconds. Programs should interrupt their own work before. */
  readonly limitMs: number
  /** Milliseconds without jobs after which the process is killed. Default: 60000. */
  readonly idleMs?: number | undefined
}

/**
 * A process for work on untrusted input that could block or crash the server, such as regular
 * expressions of users. Runs one job at a time, fairly between teams. Starts with the first job and
 * is replaced after one that fails. Its program sends a message once it has loaded, and one for
 * each job.
 */
export class FairProcess<Job extends object, Outcome> implements AsyncDisposable {
  readonly #program: string
  readonly #limits: FairProcessLimits
  readonly #turns = new FairQueue()
  #child: ChildProcess | undefined
  #idleEnd: NodeJS.Timeout | undefined
  #isDisposed = false

  constructor(program: URL, limits: FairProcessLimits) {
    this.#program = fileURLToPath(program)
    this.#limits = limits
  }

  /** Whether the process was killed by a shutdown, so that jobs have no outcome. */
  get isDisposed(): boolean {
    return this.#isDisposed
  }

  /** Id of the running process. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Runs a job. Resolves to `undefined` if it takes too much time or memory, or after disposal. */
  async run(teamId: string, job: Job): Promise<Outcome | undefined> {
    return this.#turns.run(teamId, async () => this.#execute(job))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#end()
  }

  async #execute(job: Job): Promise<Outcome | undefined> {
    if (this.#isDisposed) return undefined
    clearTimeout(this.#idleEnd)
    const isNew = this.#child === undefined
    const child = (this.#child ??= this.#start())
    // Only jobs keep this process running.
    child.channel?.ref()
    try {
      // Loading the program must not count as working time: it takes seconds on a busy machine.
      if (isNew) await nextMessage(child)
      using limit = new RunningTimeout(this.#limits.limitMs)
      const outcome = abortable(nextMessage(child), limit.signal)
      child.send(job, () => undefined)
      return (await outcome) as Outcome
    } catch {
      await this.#end()
      return undefined
    } finally {
      child.channel?.unref()
      this.#idleEnd = setTimeout(() => void this.#end(), this.#limits.idleMs ?? 60_000).unref()
    }
  }

  #start(): ChildProcess {
    const child = forkHelper(this.#program, this.#limits.heapMb)
    child.unref()
    child.channel?.unref()
    // It may fail while no job listens to it.
    child.on('error', () => undefined)
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    return child
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idleEnd)
    const child = this.#child
    this.#child = undefined
    if (child !== undefined) await killHelper(child)
  }
}

/** Resolves with the next message of a process. Rejects if it ends before. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  child.once('message', resolve).once('error', reject).once('exit', reject)
  try {
    return await promise
  } finally {
    child.off('message', resolve).off('error', reject).off('exit', reject)
  }
}
