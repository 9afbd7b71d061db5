import { createContext, Script } from 'node:vm'
import { BowlineError } from '../../kit/errors.ts'

/** Regular expressions for texts. */
export interface Patterns {
  /** One of which has to match. Empty: none has to. */
  readonly include: readonly string[]
  /** None of which may match. */
  readonly exclude: readonly string[]
}

/** Longest time for the texts of one call: a pattern may take for ever on some. */
const limitMs = 500

const script = new Script(`(() => {
  const toTest = (pattern) => { const expression = new RegExp(pattern); return (text) => expression.test(text) }
  const wanted = include.map(toTest), unwanted = exclude.map(toTest)
  return texts.map((text) =>
    (wanted.length === 0 || wanted.some((test) => test(text))) && !unwanted.some((test) => test(text)))
})()`)

/** Which texts match. Throws BAD_REQUEST when an expression is none, or takes too long. */
export const matchPatterns = (texts: readonly string[], patterns: Patterns): readonly boolean[] => {
  if (patterns.include.length + patterns.exclude.length === 0) return texts.map(() => true)
  try {
    // A context of its own is what lets a regular expression be stopped.
    return script.runInContext(createContext({ texts, ...patterns }), { timeout: limitMs }) as readonly boolean[]
  } catch (cause) {
    const why = Error.isError(cause) ? cause.message : String(cause)
    throw new BowlineError('BAD_REQUEST', `includePaths and excludePaths cannot be used: ${why}`, { cause })
  }
}
