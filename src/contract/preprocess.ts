import { z } from 'zod'

/**
 * Normalizes values before a schema parses them. Keeps the type of the schema, since what clients
 * should send is what it accepts.
 */
export function preprocess<Schema extends z.ZodType>(normalize: (value: unknown) => unknown, schema: Schema): Schema {
  return z.preprocess(normalize, schema) as unknown as Schema
}
