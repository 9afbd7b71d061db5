import type { z } from 'zod'

/** Maximum number of issues per error. A body can have hundreds of thousands. */
const maxIssues = 20
const maxNested = 5
const maxTextLength = 500
const maxNameLength = 200

/** The first issues of a validation error and the number of omitted ones. */
export interface ListedIssues {
  readonly issues: readonly Readonly<Record<string, unknown>>[]
  /** Number of omitted issues. */
  readonly more: number
}

/** Returns the first 20 issues with shortened texts. */
export function listIssues(issues: readonly z.core.$ZodIssue[]): ListedIssues {
  return { issues: issues.slice(0, maxIssues).map(boundIssue), more: Math.max(0, issues.length - maxIssues) }
}

/** Formats the number of omitted issues as the end of a message. Returns '' for none. */
export function andMore(more: number): string {
  return more === 0 ? '' : ` (and ${more.toLocaleString('en')} more issues)`
}

/** Shortens text for an error message. */
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

/** Joins the first 20 names for a message, shortened, and adds the number of omitted ones. */
export function joinNames(names: readonly string[]): string {
  const more = names.length - maxIssues
  return `${boundNames(names).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`
}

function boundNames(names: readonly string[]): readonly string[] {
  return names.slice(0, maxIssues).map((name) => shorten(name, maxNameLength))
}
