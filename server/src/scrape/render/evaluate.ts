import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { Protocol } from '../../cdp/protocol.ts'
import type { Tab } from './tab.ts'

/** Result of a script. */
export interface Evaluation {
  readonly type: string
  readonly value: unknown
}

/**
 * Runs a script in the page and awaits a returned promise. Throws SCRAPE_ACTION_ERROR with the
 * error of the script.
 */
export async function evaluate(tab: Tab, script: string): Promise<Evaluation> {
  const result = await runScript(tab, script)
  const { objectId } = result
  if (objectId === undefined) return toEvaluation(result)
  try {
    return toEvaluation(
      result.subtype === 'promise'
        ? valueOf(await tab.call('Runtime.awaitPromise', { promiseObjectId: objectId, returnByValue: true }))
        : valueOf(
            await tab.call('Runtime.callFunctionOn', {
              objectId,
              functionDeclaration: returnThis,
              returnByValue: true,
            }),
          ),
    )
  } catch (error) {
    // The page has navigated, or the value cannot be serialized because it refers to a window.
    if (isBowlineError(error) && error.code === 'CDP_FAILED') return { type: result.type, value: null }
    throw error
  }
}

/** Runs a function, given as source, with arguments in the page. Throws as `evaluate`. */
export async function evaluateFunction(tab: Tab, source: string, ...args: readonly unknown[]): Promise<unknown> {
  const expression = `(${source})(${args.map((arg) => JSON.stringify(arg)).join(', ')})`
  const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true }
  return toEvaluation(valueOf(await tab.call('Runtime.evaluate', options))).value
}

const returnThis = 'function () { return this }'

async function runScript(tab: Tab, script: string): Promise<Protocol.Runtime.RemoteObject> {
  // Scripts may use top-level `await` and `return`.
  const options = { awaitPromise: true, userGesture: true, replMode: true }
  try {
    return valueOf(await tab.call('Runtime.evaluate', { ...options, expression: script }))
  } catch (error) {
    if (!isBowlineError(error) || !error.message.endsWith('SyntaxError: Illegal return statement')) throw error
    const expression = `(async () => {\n${script}\n})()`
    return valueOf(await tab.call('Runtime.evaluate', { ...options, expression }))
  }
}

function valueOf({ result, exceptionDetails }: Protocol.Runtime.EvaluateResponse): Protocol.Runtime.RemoteObject {
  if (exceptionDetails === undefined) return result
  const { exception, text } = exceptionDetails
  const reason = exception?.description ?? JSON.stringify(exception?.value) ?? text
  throw new BowlineError('SCRAPE_ACTION_ERROR', `The script failed: ${reason}`)
}

function toEvaluation({ type, subtype, value }: Protocol.Runtime.RemoteObject): Evaluation {
  return {
    type: subtype === 'null' ? 'null' : type,
    value: (value as unknown) ?? null,
  }
}
