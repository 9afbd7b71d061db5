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
  if (issue?.code === 'invalid_value' && issue.message.startsWith('Invalid')) {
    return `${name} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
  }
  return `Bad Request: ${field}: ${shorten(issue?.message ?? 'invalid')}`
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
