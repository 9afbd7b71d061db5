import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { OversizedResult, type ResultBudget } from '../../cdp/message-limits.ts'
import type { CdpCall, Protocol } from '../../cdp/protocol.ts'
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
    return await evaluateWith(tab.callWithin(budget), script)
  } catch (error) {
    if (!(error instanceof OversizedResult)) throw error
    const limit = `${maxScriptResultBytes / 1e6} MB`
    throw new BowlineError('SCRAPE_ACTION_ERROR', `The results of all scripts must not exceed ${limit} in total`, {
      hint: 'Return less, such as only the fields that you need.',
      cause: error,
    })
  }
}

async function evaluateWith(call: CdpCall, script: string): Promise<Evaluation> {
  const result = await runScript(call, script)
  const { objectId } = result
  if (objectId === undefined) return toEvaluation(result)
  try {
    return toEvaluation(
      result.subtype === 'promise'
        ? valueOf(await call('Runtime.awaitPromise', { promiseObjectId: objectId, returnByValue: true }))
        : valueOf(
            await call('Runtime.callFunctionOn', { objectId, functionDeclaration: returnThis, returnByValue: true }),
          ),
    )
  } catch (error) {
    if (error instanceof OversizedResult) throw error
    // The page has navigated, or the value cannot be serialized because it refers to a window.
    if (isBowlineError(error) && error.code === 'CDP_FAILED') return { type: result.type, value: null }
    throw error
  }
}

/**
 * Runs a function, given as source, with arguments in the page. Throws as `evaluate`. Results over
 * 100 kB are rejected with CDP_FAILED, since scripts of the page can replace them.
 */
export async function evaluateFunction(tab: Tab, source: string, ...args: readonly unknown[]): Promise<unknown> {
  const expression = `(${source})(${args.map((arg) => JSON.stringify(arg)).join(', ')})`
  const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true }
  const call = tab.callWithin({ bytes: maxFunctionResultBytes })
  return toEvaluation(valueOf(await call('Runtime.evaluate', options))).value
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

async function runScript(call: CdpCall, script: string): Promise<Protocol.Runtime.RemoteObject> {
  // Scripts may use top-level `await` and `return`.
  const options = { awaitPromise: true, userGesture: true, replMode: true }
  try {
    return valueOf(await call('Runtime.evaluate', { ...options, expression: script }))
  } catch (error) {
    if (!isBowlineError(error) || !error.message.endsWith('SyntaxError: Illegal return statement')) throw error
    const expression = `(async () => {\n${script}\n})()`
    return valueOf(await call('Runtime.evaluate', { ...options, expression }))
  }
}

function valueOf({ result, exceptionDetails }: Protocol.Runtime.EvaluateResponse): Protocol.Runtime.RemoteObject {
  if (exceptionDetails === undefined) return result
  const { exception, text } = exceptionDetails
  const reason = exception?.description ?? JSON.stringify(exception?.value) ?? text
  throw new BowlineError('SCRAPE_ACTION_ERROR', `The script failed: ${reason.slice(0, maxReasonLength)}`)
}

function toEvaluation({ type, subtype, value }: Protocol.Runtime.RemoteObject): Evaluation {
  return {
    type: subtype === 'null' ? 'null' : type,
    value: (value as unknown) ?? null,
  }
}
