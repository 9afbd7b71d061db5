import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { BowlineError } from '../../kit/errors.ts'
import type { MatchAnswer, MatchJob } from './pattern-worker.ts'

/** Regular expressions for texts. */
export interface Patterns {
  /** One of which has to match. Empty: none has to. */
  readonly include: readonly string[]
  /** None of which may match. */
  readonly exclude: readonly string[]
}

/** Longest time in milliseconds for the texts of one call: some expressions take for ever on some texts. */
const limitMs = 500

/** Milliseconds until a thread that does not end its work by itself is ended. */
const hangMs = 5000

const heapMb = 128

/**
 * Matches texts with regular expressions of callers in a thread of its own, one call after another. Expressions keep the
 * syntax of JavaScript, with lookarounds and references, which engines with linear time do not have; so their time is limited.
 */
export class PatternMatcher implements AsyncDisposable {
  #worker: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isDisposed = false

  /** Which texts match. Throws BAD_REQUEST when an expression is none, or takes longer than 500 ms; DRAINING. */
  async match(texts: readonly string[], patterns: Patterns): Promise<readonly boolean[]> {
    if (patterns.include.length + patterns.exclude.length === 0) return texts.map(() => true)
    const turn = this.#last.then(async () => this.#run({ texts, ...patterns, limitMs }))
    this.#last = turn.catch(() => undefined)
    const answer = await turn
    // The thread was ended with the server: nothing is wrong with the expressions.
    if (this.#isDisposed && 'error' in answer) throw new BowlineError('DRAINING', 'This server is shutting down')
    if ('matches' in answer) return answer.matches
    throw new BowlineError('BAD_REQUEST', `includePaths and excludePaths cannot be used: ${answer.error}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#worker?.terminate()
  }

  async #run(job: MatchJob): Promise<MatchAnswer> {
    if (this.#isDisposed) return { error: 'the server is shutting down' }
    const worker = (this.#worker ??= start())
    const answer = Promise.withResolvers<MatchAnswer>()
    const onEnd = (): void => answer.resolve({ error: 'the expressions took too much time or memory' })
    const timer = setTimeout(onEnd, limitMs + hangMs)
    worker.once('message', answer.resolve).once('error', onEnd).once('exit', onEnd)
    worker.postMessage(job)
    let isAlive = false
    worker.once('message', () => {
      isAlive = true
    })
    try {
      return await answer.promise
    } finally {
      clearTimeout(timer)
      worker.off('message', answer.resolve).off('error', onEnd).off('exit', onEnd)
      if (!isAlive) {
        this.#worker = undefined
        await worker.terminate()
      }
    }
  }
}

function start(): Worker {
  const worker = new Worker(new URL(`./pattern-worker${extname(import.meta.filename)}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    env: {},
  })
  worker.on('error', () => undefined)
  worker.unref()
  return worker
}
