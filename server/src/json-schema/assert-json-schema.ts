import { shorten } from 'bowline/contract/validation-issues'
import { BowlineError } from 'bowline/kit/errors'

type Schema = Readonly<Record<string, unknown>>

/** Types of all drafts, and of OpenAPI. Some clients write them in upper case. */
const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'any'])

/** Keywords with a schema. `items` may also be an array of schemas. */
const schemaKeywords = ['items', 'additionalProperties', 'additionalItems', 'not', 'contains', 'propertyNames']

/** Keywords with an object of schemas. */
const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions']

/** Keywords with an array of schemas. */
const listKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems']

/**
 * Throws BAD_REQUEST for an object that is a JSON Schema in no draft, such as one with an unknown
 * type. Accepts everything that a language model can follow: keywords of any draft and of OpenAPI,
 * unknown keywords, and references that cannot be resolved.
 */
export function assertJsonSchema(schema: Schema | undefined): void {
  // A loop, since schemas can be nested deeper than the stack.
  const pending: (readonly [path: string, value: unknown])[] = [['schema', schema ?? true]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [path, value] = next
    if (typeof value === 'boolean') continue
    if (!isRecord(value)) throw invalid(`${path} must be an object or a boolean`)
    assertType(path, value['type'])
    assertKind(
      `${path}.required`,
      value['required'],
      (each) => Array.isArray(each) || typeof each === 'boolean',
      'an array',
    )
    assertKind(`${path}.enum`, value['enum'], Array.isArray, 'an array')
    assertKind(`${path}.$ref`, value['$ref'], (each) => typeof each === 'string', 'a string')
    for (const child of childrenOf(path, value)) pending.push(child)
  }
}

function* childrenOf(path: string, schema: Schema): Generator<readonly [path: string, value: unknown]> {
  for (const keyword of schemaKeywords) {
    const value = schema[keyword] ?? true
    const list = keyword === 'items' && Array.isArray(value) ? (value as readonly unknown[]) : undefined
    if (list === undefined) yield [`${path}.${keyword}`, value]
    else for (const [index, each] of list.entries()) yield [`${path}.${keyword}.${index}`, each]
  }
  for (const keyword of mapKeywords) {
    assertKind(`${path}.${keyword}`, schema[keyword], isRecord, 'an object')
    for (const [name, each] of Object.entries(schema[keyword] ?? {})) yield [`${path}.${keyword}.${name}`, each]
  }
  for (const keyword of listKeywords) {
    assertKind(`${path}.${keyword}`, schema[keyword], Array.isArray, 'an array')
    const list = (schema[keyword] ?? []) as readonly unknown[]
    for (const [index, each] of list.entries()) yield [`${path}.${keyword}.${index}`, each]
  }
}

function assertType(path: string, type: unknown): void {
  for (const name of Array.isArray(type) ? (type as readonly unknown[]) : [type ?? 'any']) {
    // In draft 3, a type can be a schema.
    if (isRecord(name) || (typeof name === 'string' && typeNames.has(name.toLowerCase()))) continue
    throw invalid(`${path}.type is ${shorten(JSON.stringify(name), 100)}, which is not a JSON Schema type`)
  }
}

function assertKind(path: string, value: unknown, isRight: (value: unknown) => boolean, kind: string): void {
  if (value !== undefined && value !== null && !isRight(value)) throw invalid(`${path} must be ${kind}`)
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(reason: string): BowlineError {
  const start = reason.length > 500 ? '…' : ''
  return new BowlineError('BAD_REQUEST', `Invalid JSON schema: ${start}${reason.slice(-500)}`)
}
