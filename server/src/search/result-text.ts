import { z } from 'zod'

/** A text of a search result. A value of another type must not make the whole response invalid. */
export const resultText = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined)
