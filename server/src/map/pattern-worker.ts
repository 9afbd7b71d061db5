// A program: matches texts with regular expressions in a thread of its own, one job at a time.
import { createContext, Script } from 'node:vm'
import { parentPort } from 'node:worker_threads'

/** Texts, and the expressions that they are held against. */
export interface MatchJob {
  readonly texts: readonly string[]
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly limitMs: number
}

/** Which texts match, or why that cannot be told. */
export type MatchAnswer = { readonly matches: readonly boolean[]; readonly ms: number } | { readonly error: string }

const script = new Script(`(() => {
  const toTest = (pattern) => { const expression = new RegExp(pattern); return (text) => expression.test(text) }
  const wanted = include.map(toTest), unwanted = exclude.map(toTest)
  return texts.map((text) =>
    (wanted.length === 0 || wanted.some((test) => test(text))) && !unwanted.some((test) => test(text)))
})()`)

parentPort?.on('message', ({ limitMs, ...job }: MatchJob) => parentPort?.postMessage(answer(job, limitMs)))

function answer(job: Omit<MatchJob, 'limitMs'>, limitMs: number): MatchAnswer {
  const startedAt = performance.now()
  try {
    // A context of its own is what lets a regular expression be stopped.
    const matches = [...(script.runInContext(createContext({ ...job }), { timeout: limitMs }) as boolean[])]
    return { matches, ms: performance.now() - startedAt }
  } catch (error) {
    return { error: Error.isError(error) && 'code' in error ? `they took longer than ${limitMs} ms` : String(error) }
  }
}
