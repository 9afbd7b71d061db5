import type { z } from 'zod'

/** Issues that an error lists; a body has room for hundreds of thousands. */
const maxIssues = 20
const maxNested = 5
const maxTextLength = 500
const maxNameLength = 200

/** What is told of an error of validation: its first issues, and how many more there are. */
export interface ListedIssues {
  readonly issues: readonly Readonly<Record<string, unknown>>[]
  /** How many are left out. */
  readonly more: number
}

/** The first 20 issues, each with texts of bounded length. */
export function listIssues(issues: readonly z.core.$ZodIssue[]): ListedIssues {
  return { issues: issues.slice(0, maxIssues).map(boundIssue), more: Math.max(0, issues.length - maxIssues) }
}

/** The end of a message about issues that are not all listed; empty when they are. */
export function andMore(more: number): string {
  return more === 0 ? '' : ` (and ${more.toLocaleString('en')} more issues that are not listed)`
}

/** A text of the caller that is no longer than an error should be. */
export function shorten(text: string, length: number = maxTextLength): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}

function boundIssue(issue: z.core.$ZodIssue): Readonly<Record<string, unknown>> {
  const { input: _input, message, path, ...facts } = issue
  return {
    ...facts,
    ...('keys' in facts ? { keys: boundNames(facts.keys) } : {}),
    ...('errors' in facts ? { errors: boundNested(facts.errors) } : {}),
    ...(facts.code === 'invalid_key' || facts.code === 'invalid_element'
      ? { issues: facts.issues.slice(0, maxNested).map(boundIssue) }
      : {}),
    path: path.map((part) => (typeof part === 'string' ? shorten(part, maxNameLength) : part)),
    message: shorten(message),
  }
}

function boundNested(errors: readonly (readonly z.core.$ZodIssue[])[]): readonly unknown[] {
  return errors.map((each) => each.slice(0, maxNested).map(boundIssue))
}

/** Names that a caller sent, no more and no longer than an error should hold. */
export function boundNames(names: readonly string[]): readonly string[] {
  return names.slice(0, maxIssues).map((name) => shorten(name, maxNameLength))
}
