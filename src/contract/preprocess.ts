import { z } from 'zod'

/**
 * Normalizes values before a schema parses them. The input type stays that of the schema, which
 * clients should follow.
 */
export function preprocess<Schema extends z.ZodType>(normalize: (value: unknown) => unknown, schema: Schema): Schema {
  return z.preprocess(normalize, schema) as unknown as Schema
}
