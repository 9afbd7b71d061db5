import { BowlineError } from '../kit/errors.ts'

/**
 * Makes reads of `page`, `browser` and `context`, which only drivers provide, throw CONFIG_INVALID
 * with the option to set.
 */
export function explainMissingHandles<Scope extends object>(scope: Scope): Scope {
  for (const name of ['page', 'browser', 'context']) {
    const get = (): never => {
      throw new BowlineError('CONFIG_INVALID', `\`${name}\` needs a driver`, {
        hint: "Pass `driver: playwright` from 'bowline/playwright' or `driver: puppeteer` from 'bowline/puppeteer', or connect to `session.cdpUrl`.",
      })
    }
    Object.defineProperty(scope, name, { get, enumerable: false })
  }
  return scope
}
