import { z } from 'zod'
import { preprocess } from './preprocess.ts'

const marker = 'x-alternative'

/**
 * Extends a schema to accept another form of a value, which `normalize` converts. Types, error
 * messages and the reference have only the form of the schema, the OpenAPI document has both.
 */
export function withAlternative<Schema extends z.ZodType>(
  schema: Schema,
  normalize: (value: unknown) => unknown,
  alternative: z.ZodType,
): Schema {
  const { $schema: _dialect, ...form } = z.toJSONSchema(alternative, { io: 'input' })
  return preprocess(normalize, schema).meta({ [marker]: form })
}

/** Adds the alternatives to a JSON Schema and all nested schemas. */
export function writeAlternatives<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((each: unknown) => writeAlternatives(each)) as Value
  if (typeof value !== 'object' || value === null) return value
  const { [marker]: alternative, ...schema } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, writeAlternatives(inner) as unknown]),
  )
  if (alternative === undefined) return schema as Value
  const { default: defaultValue, ...main } = schema
  return { ...(defaultValue !== undefined && { default: defaultValue }), anyOf: [main, alternative] } as Value
}
