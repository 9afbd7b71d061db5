import type { z } from 'zod'
import { preprocess } from './preprocess.ts'

const marker = 'x-shorthand'

/**
 * Extends an object schema to accept a string as a shorthand. Allows the strings in `names`, or any
 * string if `names` is not set.
 */
export function withShorthand<Schema extends z.ZodType>(
  schema: Schema,
  spellOut: (value: unknown) => unknown,
  names?: readonly string[],
): Schema {
  return preprocess(spellOut, schema).meta({ [marker]: names ?? [] })
}

/**
 * Adds shorthand strings to a JSON Schema and all nested schemas, since zod describes only objects.
 */
export function writeShorthands<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(writeShorthands) as Value
  if (typeof value !== 'object' || value === null) return value
  const { [marker]: names, ...schema } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, writeShorthands(inner) as unknown]),
  )
  if (!Array.isArray(names)) return schema as Value
  const text = { type: 'string', ...(names.length > 0 && { enum: names }) }
  const { default: defaultValue, ...object } = schema
  return { ...(defaultValue !== undefined && { default: defaultValue }), anyOf: [text, object] } as Value
}
