import { z } from 'zod'

/**
 * Creates the schema of an array with `min` (default: 0) to `max` items. Only the first items of a
 * longer array are validated, so that rejecting it is no more expensive than accepting it.
 */
export function boundedArray<Item extends z.ZodType>(
  item: Item,
  max: number,
  min = 0,
): z.ZodType<z.output<Item>[], readonly z.input<Item>[]> {
  return z.preprocess(
    (value) => (Array.isArray(value) && value.length > max ? value.slice(0, max + 1) : value),
    z
      .array(item)
      .min(min)
      // When it is needed: the first number that is formatted costs each process 25 ms.
      .max(max, { error: () => `must have at most ${max.toLocaleString('en')} items` }),
  ) as unknown as z.ZodType<z.output<Item>[], readonly z.input<Item>[]>
}

/** Rejects a record with more than `max` entries. */
export function atMostEntries(max: number) {
  return (record: object, context: z.core.$RefinementCtx): void => {
    if (Object.keys(record).length <= max) return
    context.addIssue({ code: 'custom', message: `must have at most ${max} entries`, input: record })
  }
}

/** Name of a client program or an integration. */
export const clientName = z.string().max(200)
