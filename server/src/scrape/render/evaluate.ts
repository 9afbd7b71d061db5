import { BowlineError, isBowlineError } from 'bowline/kit/errors'
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
        ? await runtime(tab, 'awaitPromise', { promiseObjectId: objectId, returnByValue: true })
        : await runtime(tab, 'callFunctionOn', { objectId, functionDeclaration: returnThis, returnByValue: true }),
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
  return toEvaluation(await runtime(tab, 'evaluate', options)).value
}

const returnThis = 'function () { return this }'

interface RemoteObject {
  readonly type: string
  readonly subtype?: string
  readonly value?: unknown
  readonly objectId?: string
}

async function runScript(tab: Tab, script: string): Promise<RemoteObject> {
  // Scripts may use top-level `await` and `return`.
  const options = { awaitPromise: true, userGesture: true, replMode: true }
  try {
    return await runtime(tab, 'evaluate', { ...options, expression: script })
  } catch (error) {
    if (!isBowlineError(error) || !error.message.endsWith('SyntaxError: Illegal return statement')) throw error
    return runtime(tab, 'evaluate', { ...options, expression: `(async () => {\n${script}\n})()` })
  }
}

async function runtime(tab: Tab, method: string, params: Readonly<Record<string, unknown>>): Promise<RemoteObject> {
  const response = await tab.call(`Runtime.${method}`, params)
  const thrown = response['exceptionDetails'] as
    | { readonly text: string; readonly exception?: { readonly description?: string; readonly value?: unknown } }
    | undefined
  if (thrown !== undefined) {
    const { description, value } = thrown.exception ?? {}
    throw new BowlineError(
      'SCRAPE_ACTION_ERROR',
      `The script failed: ${description ?? JSON.stringify(value) ?? thrown.text}`,
    )
  }
  return response['result'] as RemoteObject
}

function toEvaluation({ type, subtype, value }: RemoteObject): Evaluation {
  return {
    type: subtype === 'null' ? 'null' : type,
    value: value ?? null,
  }
}
