import { BowlineError } from '../../../kit/errors.ts'
import type { Tab } from './tab.ts'

/** What a script came to. */
export interface Evaluation {
  readonly type: string
  readonly value: unknown
}

/** Runs a script in the page; a promise is waited for. Throws SCRAPE_ACTION_ERROR with what the script threw. */
export const evaluate = async (tab: Tab, expression: string): Promise<Evaluation> => {
  const answer = await tab.call('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
    userGesture: true,
    // `await` at the top is what people write.
    replMode: true,
  })
  const thrown = answer['exceptionDetails'] as
    | { readonly text: string; readonly exception?: { readonly description?: string } }
    | undefined
  if (thrown !== undefined) {
    throw new BowlineError('SCRAPE_ACTION_ERROR', `The script failed: ${thrown.exception?.description ?? thrown.text}`)
  }
  const result = answer['result'] as { readonly type: string; readonly subtype?: string; readonly value?: unknown }
  return { type: result.subtype === 'null' ? 'null' : result.type, value: result.value ?? null }
}

/** Runs a function, given as text, with arguments in the page. Throws as `evaluate`. */
export const evaluateFunction = async (tab: Tab, source: string, ...args: readonly unknown[]): Promise<unknown> =>
  (await evaluate(tab, `(${source})(${args.map((arg) => JSON.stringify(arg)).join(', ')})`)).value
