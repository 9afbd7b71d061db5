import { z } from 'zod'

const text = z.string()

const price = z.looseObject({
  amount: z.number(),
  /** ISO 4217 code. */
  currency: text.optional(),
  /** For people, such as `$1,299.00`. */
  formatted: text,
})

/** The product that a page is about. */
export const product = z.looseObject({
  title: text,
  brand: text.optional(),
  category: text.optional(),
  url: text,
  description: text.optional(),
  /** Articles that can be bought: one per offer, at least one. */
  variants: z.array(
    z.looseObject({
      id: text.optional(),
      sku: text.optional(),
      title: text.optional(),
      /** Properties in which variants differ, such as `color` and `size`. */
      values: z.record(text, text).optional(),
      price: price.optional(),
      sale: z.looseObject({ originalPrice: price }).optional(),
      availability: z.looseObject({ inStock: z.boolean(), text }).optional(),
      images: z.array(text).optional(),
    }),
  ),
})

export type Price = z.output<typeof price>
export type Product = z.output<typeof product>
