import { stripVTControlCharacters } from 'node:util'
import { isBowlineError } from '../kit/errors.ts'
import { messageOf } from '../kit/message-of.ts'
import { quotePage } from '../kit/quote-page.ts'

/**
 * Describes an error for an agent. Of the log that Playwright appends to its errors, only the last
 * reason why an element could not be used is kept. It can contain HTML of the page.
 */
export function describeError(error: unknown): string {
  if (isBowlineError(error)) return error.toLine()
  const [summary = '', log = ''] = stripVTControlCharacters(messageOf(error)).split('\nCall log:')
  const reason = log.split('\n').findLast((line) => reasons.test(line))
  // Pages choose what their scripts throw.
  const [, call, thrown] = /^(\w+\.evaluate): (.*)$/s.exec(summary) ?? []
  if (call !== undefined && thrown !== undefined) return `${call} failed:\n${quotePage(thrown.slice(0, 1000))}`
  const text = summary.slice(0, 1000)
  return reason === undefined ? text : `${text}\n${quotePage(reason.replace(/^[\s-]+/, '').slice(0, 300))}`
}

const reasons = /intercepts pointer events|element is (?:not|outside)/
