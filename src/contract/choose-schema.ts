import { z } from 'zod'

/**
 * Creates the union of two schemas. `isSecond` determines which one parses a value, so that the
 * issues are those of the intended one, instead of those of both.
 */
export function chooseSchema<First extends z.ZodType, Second extends z.ZodType>(
  isSecond: (value: unknown) => boolean,
  first: First,
  second: Second,
): z.ZodUnion<readonly [First, Second]> {
  const schema = z.union([first, second])
  const run: z.core.$ZodType['_zod']['run'] = (payload, context) =>
    (isSecond(payload.value) ? second : first)._zod.run(payload, context)
  schema._zod.parse = run
  schema._zod.run = run
  return schema
}
