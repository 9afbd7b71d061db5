import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { OversizedResult, type ResultBudget } from '../../cdp/message-limits.ts'
import type { CdpCall, CdpParams, Protocol } from '../../cdp/protocol.ts'
import type { Tab } from './tab.ts'

/** Result of a script. */
export interface Evaluation {
  readonly type: string
  readonly value: unknown
}

/** Maximum size of the results of all scripts of a scrape, as JSON, in bytes. */
export const maxScriptResultBytes = 4_000_000

/** Maximum size of the result of `evaluateFunction`, in bytes. */
const maxFunctionResultBytes = 100_000

/** Maximum length of the reason of a failed script, in characters. */
const maxReasonLength = 5000

/**
 * Runs a script in the page and awaits a returned promise. Throws SCRAPE_ACTION_ERROR with the
 * error of the script, or if the result exceeds the budget.
 */
export async function evaluate(tab: Tab, script: string, budget: ResultBudget): Promise<Evaluation> {
  try {
    return await evaluateWith(tab, tab.callWithin(budget), script)
  } catch (error) {
    if (!(error instanceof OversizedResult)) throw error
    const limit = `${maxScriptResultBytes / 1e6} MB`
    throw new BowlineError('SCRAPE_ACTION_ERROR', `The results of all scripts must not exceed ${limit} in total`, {
      hint: 'Return less, such as only the fields that you need.',
      cause: error,
    })
  }
}

async function evaluateWith(tab: Tab, call: CdpCall, script: string): Promise<Evaluation> {
  const result = await runScript(call, script)
  if (result === 'returns')
    return readResult(tab, 'object', async () => call('Runtime.evaluate', returning(script)), returnedWarning)
  const { objectId, type } = result
  if (objectId === undefined) return toEvaluation(tab, result)
  return readResult(tab, type, async () =>
    result.subtype === 'promise'
      ? call('Runtime.awaitPromise', { promiseObjectId: objectId, returnByValue: true })
      : call('Runtime.callFunctionOn', { objectId, functionDeclaration: returnThis, returnByValue: true }),
  )
}

/**
 * Returns the value of a script, or `null` with a warning if it cannot be written as JSON, or if
 * the page has navigated.
 */
async function readResult(
  tab: Tab,
  type: string,
  read: () => Promise<Protocol.Runtime.EvaluateResponse>,
  warning = lostValueWarning,
): Promise<Evaluation> {
  try {
    return toEvaluation(tab, valueOf(await read()))
  } catch (error) {
    if (error instanceof OversizedResult || !isBowlineError(error) || error.code !== 'CDP_FAILED') throw error
    tab.warnings.add(unserializable.test(error.message) ? unserializableWarning : warning)
    return { type, value: null }
  }
}

const unserializable = /reference chain|by value/i

const unserializableWarning =
  'The value of a script cannot be written as JSON, so it is `null`: it is or contains a BigInt, a window, a reference to itself, NaN or Infinity.'

const returnedWarning = 'The page navigated before a script returned, so its value is `null`.'

const lostValueWarning =
  'The page navigated before the value of a script was read, so it is `null`. End the script with `return` to read it at once.'

/**
 * Runs a function, given as source, with arguments in the page. Throws as `evaluate`. Results over
 * 100 kB are rejected with CDP_FAILED, since scripts of the page can replace them.
 */
export async function evaluateFunction(tab: Tab, source: string, ...args: readonly unknown[]): Promise<unknown> {
  const expression = `(${source})(${args.map((arg) => JSON.stringify(arg)).join(', ')})`
  const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true }
  const call = tab.callWithin({ bytes: maxFunctionResultBytes })
  return (valueOf(await call('Runtime.evaluate', options)).value as unknown) ?? null
}

/**
 * Runs a function, given as source, that returns a long text. Undefined if it returns anything
 * else. Throws as `evaluate`.
 */
export async function evaluateText(tab: Tab, source: string): Promise<string | undefined> {
  // Without `returnByValue`, the browser returns only strings by value.
  const { value } = valueOf(await tab.call('Runtime.evaluate', { expression: `(${source})()` }))
  return typeof value === 'string' ? value : undefined
}

const returnThis = 'function () { return this }'

/** Runs a script, except one with a top-level `return`, which is a syntax error at first. */
async function runScript(call: CdpCall, script: string): Promise<Protocol.Runtime.RemoteObject | 'returns'> {
  // Scripts may use top-level `await`.
  const options = { awaitPromise: true, userGesture: true, replMode: true }
  try {
    return valueOf(await call('Runtime.evaluate', { ...options, expression: script }))
  } catch (error) {
    if (!isBowlineError(error) || !error.message.endsWith('SyntaxError: Illegal return statement')) throw error
    return 'returns'
  }
}

/** Reads the returned value in the same command, since the script may navigate. */
function returning(script: string): CdpParams<'Runtime.evaluate'> {
  return {
    expression: `(async () => {\n${script}\n})()`,
    awaitPromise: true,
    userGesture: true,
    returnByValue: true,
  }
}

function valueOf({ result, exceptionDetails }: Protocol.Runtime.EvaluateResponse): Protocol.Runtime.RemoteObject {
  if (exceptionDetails === undefined) return result
  const { exception, text } = exceptionDetails
  const reason = exception?.description ?? JSON.stringify(exception?.value) ?? text
  throw new BowlineError('SCRAPE_ACTION_ERROR', `The script failed: ${reason.slice(0, maxReasonLength)}`)
}

/** Converts a value to JSON. A BigInt becomes a string of its digits. */
function toEvaluation(tab: Tab, object: Protocol.Runtime.RemoteObject): Evaluation {
  const { type, subtype, value, unserializableValue: text } = object
  if (type === 'bigint' && text !== undefined) return { type, value: text.replace(/n$/, '') }
  if (text === '-0') return { type, value: 0 }
  if (text !== undefined) tab.warnings.add(unserializableWarning)
  return {
    type: subtype === 'null' ? 'null' : type,
    value: (value as unknown) ?? null,
  }
}
