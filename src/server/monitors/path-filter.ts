import { runInNewContext } from 'node:vm'
import { BowlineError } from '../../kit/errors.ts'

/** Which paths count: those that match one of `includePaths` (if there are any) and none of `excludePaths`. */
export interface PathFilter {
  readonly includePaths?: readonly string[] | undefined
  readonly excludePaths?: readonly string[] | undefined
}

const matchMs = 2000

/** Keeps the addresses whose paths count. Throws BAD_REQUEST when an expression is none, or takes for ever. */
export const filterPaths = (
  urls: readonly string[],
  { includePaths = [], excludePaths = [] }: PathFilter,
): readonly string[] => {
  if (includePaths.length === 0 && excludePaths.length === 0) return urls
  const given = JSON.stringify({ paths: urls.map((url) => new URL(url).pathname), includePaths, excludePaths })
  try {
    // In a context of its own, where an expression that never ends can be stopped.
    const kept = runInNewContext(
      `(() => {
        const { paths, includePaths, excludePaths } = JSON.parse(given)
        const toTest = (pattern) => { const expression = new RegExp(pattern); return (path) => expression.test(path) }
        const wanted = includePaths.map(toTest), unwanted = excludePaths.map(toTest)
        return JSON.stringify(paths.map((path) =>
          (wanted.length === 0 || wanted.some((test) => test(path))) && !unwanted.some((test) => test(path))))
      })()`,
      { given },
      { timeout: matchMs },
    ) as string
    const flags = JSON.parse(kept) as readonly boolean[]
    return urls.filter((_url, index) => flags[index] === true)
  } catch (cause) {
    const why = Error.isError(cause) ? cause.message : String(cause)
    throw new BowlineError('BAD_REQUEST', `includePaths and excludePaths cannot be used: ${why}`, { cause })
  }
}
