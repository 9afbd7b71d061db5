import { z } from 'zod'

const marker = 'x-shorthand'

/** Makes a schema that also takes a text in place of an object: one of `names`, or any when there are none. */
export function withShorthand<Schema extends z.ZodType>(
  schema: Schema,
  spellOut: (value: unknown) => unknown,
  names?: readonly string[],
): Schema {
  return z.preprocess(spellOut, schema).meta({ [marker]: names ?? [] }) as unknown as Schema
}

/** Adds the texts of shorthands to a JSON Schema, and to every schema in it: zod describes the object alone. */
export function writeShorthands<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(writeShorthands) as Value
  if (typeof value !== 'object' || value === null) return value
  const { [marker]: names, ...schema } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, writeShorthands(inner) as unknown]),
  )
  if (!Array.isArray(names)) return schema as Value
  const text = { type: 'string', ...(names.length > 0 && { enum: names }) }
  const { default: standard, ...object } = schema
  return { ...(standard !== undefined && { default: standard }), anyOf: [text, object] } as Value
}
