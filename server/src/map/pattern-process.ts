// Program of a process that matches texts against regular expressions, one job at a time. Its first
// message reports that it has started.
import { createContext, Script } from 'node:vm'
import { handleMessages } from '../kit/handle-messages.ts'

/** Texts and the regular expressions to match them with. */
export interface MatchJob {
  readonly texts: readonly string[]
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** Time limit in milliseconds. */
  readonly limitMs: number
}

/** Which texts match, or why matching failed. */
export type MatchOutcome =
  | { readonly matches: readonly boolean[]; readonly ms: number }
  /** Without a message, the time limit has passed. */
  | { readonly error: string | undefined }

const script = new Script(`(() => {
  const toTest = (pattern) => { const expression = new RegExp(pattern); return (text) => expression.test(text) }
  const included = include.map(toTest), excluded = exclude.map(toTest)
  return texts.map((text) =>
    (included.length === 0 || included.some((test) => test(text))) && !excluded.some((test) => test(text)))
})()`)

handleMessages(({ limitMs, ...job }: MatchJob) => match(job, limitMs))
process.send?.('started')

function match(job: Omit<MatchJob, 'limitMs'>, limitMs: number): MatchOutcome {
  const startedAt = performance.now()
  try {
    // Only a script in a separate context can be interrupted by a timeout while it matches a
    // regular expression.
    const matches = [...(script.runInContext(createContext({ ...job }), { timeout: limitMs }) as boolean[])]
    return { matches, ms: performance.now() - startedAt }
  } catch (error) {
    return { error: Error.isError(error) && 'code' in error ? undefined : String(error) }
  }
}
