import { createContext, Script } from 'node:vm'

/** Longest time for the links of one page: a pattern may take for ever on some texts. */
const limitMs = 500

const script = new Script(`texts.map((text) =>
  (include.length === 0 || include.some((each) => new RegExp(each).test(text))) &&
  !exclude.some((each) => new RegExp(each).test(text)))`)

/** Which texts match one of the patterns to include, or there are none, and none of those to exclude. None at all when that takes too long. */
export const matchPatterns = (
  texts: readonly string[],
  patterns: { readonly include: readonly string[]; readonly exclude: readonly string[] },
): readonly boolean[] => {
  if (patterns.include.length + patterns.exclude.length === 0) return texts.map(() => true)
  try {
    // A context of its own is what lets a regular expression be stopped.
    return script.runInContext(createContext({ texts, ...patterns }), { timeout: limitMs }) as readonly boolean[]
  } catch {
    return texts.map(() => false)
  }
}
