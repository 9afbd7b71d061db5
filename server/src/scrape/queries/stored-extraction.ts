import { z } from 'zod'

/** Extracted data as stored with a tracked page. */
export interface StoredExtraction {
  /** Schema and prompt as JSON. Data extracted with others is not comparable. */
  readonly wish: string
  readonly data?: unknown
}

/** Schema of stored extractions. Earlier versions stored only the data, which is not comparable. */
export const storedExtraction: z.ZodType<StoredExtraction | undefined> = z
  .object({ wish: z.string(), data: z.unknown() })
  .optional()
  .catch(undefined)
