import type { z } from 'zod'
import { shorten } from 'bowline/contract/validation-issues'

/** Describes a validation issue: what is wrong with the field and what it accepts. */
export function describeIssue(issue: z.core.$ZodIssue | undefined, field: string): string {
  const name = `\`${field}\``
  if (issue?.code === 'custom') {
    // Public clients match some messages, such as "Invalid URL". The others complete a sentence
    // about the field.
    const message = shorten(issue.message)
    return /^[A-Z`]/.test(message) || message.startsWith(field) ? message : `Bad Request: ${field}: ${message}`
  }
  if (issue?.code === 'too_small')
    return `${name} must ${boundOf(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue.origin)}`
  if (issue?.code === 'too_big')
    return `${name} must ${boundOf(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue.origin)}`
  if (issue?.code === 'invalid_type' && issue.message.startsWith('Invalid input')) {
    return `${name} must be ${typeNames[issue.expected] ?? issue.expected}${issue.message.endsWith('undefined') ? ', but it is missing' : ''}`
  }
  if (issue?.code === 'invalid_key') {
    return `The key ${describeIssue(issue.issues[0], field).replace(`Bad Request: ${field}:`, () => name)}`
  }
  if (issue?.code === 'invalid_value' && issue.message.startsWith('Invalid')) return oneOf(name, issue.values)
  if (issue?.code === 'invalid_union' && issue.message.startsWith('Invalid')) {
    const message = describeUnion(issue, field)
    if (message !== undefined) return message
  }
  return `Bad Request: ${field}: ${shorten(issue?.message ?? 'invalid')}`
}

/** Describes a value that no member of a union accepts. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, field: string): string | undefined {
  if ('options' in issue && issue.options !== undefined) return oneOf(`\`${field}\``, issue.options)
  const first = issue.errors.flatMap((issues) => issues.slice(0, 1))
  // The member has the type of the value, and only something inside is wrong.
  const inner = first.find(({ path }) => path.length > 0)
  if (inner !== undefined) return describeIssue(inner, [field, ...inner.path].join('.'))
  const accepted = first.map(describeAccepted)
  return accepted.length > 0 && accepted.every((each) => each !== undefined)
    ? `\`${field}\` must be ${accepted.join(', or ')}`
    : undefined
}

/** Describes what a member of a union accepts. `undefined`: it also restricts something else. */
function describeAccepted(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_type') return typeNames[issue.expected]
  if (issue.code !== 'invalid_value') return undefined
  return issue.values.length === 1 ? listOf(issue.values) : `one of ${listOf(issue.values)}`
}

function oneOf(name: string, values: readonly unknown[]): string {
  return `${name} must be one of ${listOf(values)}`
}

function listOf(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item', set: 'item' }

function boundOf(comparison: string, amount: number | bigint, origin: string): string {
  const unit = units[origin]
  if (unit === undefined) return `be ${comparison} ${amount}`
  return `have ${comparison} ${amount} ${unit}${Number(amount) === 1 ? '' : 's'}`
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}
