import { z } from 'zod'

/**
 * An array with at most `max` items and at least `min` (default 0). Of a longer one only the first items are checked, so
 * that refusing it costs no more than taking it.
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
      .max(max, `at most ${max.toLocaleString('en')} are taken`),
  ) as unknown as z.ZodType<z.output<Item>[], readonly z.input<Item>[]>
}

/** Refuses a record with more than `max` entries. */
export function atMostEntries(max: number) {
  return (record: object, context: z.core.$RefinementCtx): void => {
    if (Object.keys(record).length <= max) return
    context.addIssue({ code: 'custom', message: `at most ${max} are taken`, input: record })
  }
}

/** The name of a client or an integration, as clients send it. */
export const clientName = z.string().max(200)
