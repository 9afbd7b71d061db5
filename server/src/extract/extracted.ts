import { z } from 'zod'

/** Extracted data and its sources. */
export interface Extracted {
  readonly data: unknown
  /** URLs of the pages that were read. */
  readonly pages: readonly string[]
  readonly warning?: string | undefined
  /** Credits for the web search. */
  readonly searchCredits: number
}

/** Schema of stored results. Earlier versions billed searches on their own. */
export const extracted: z.ZodType<Extracted> = z.object({
  data: z.unknown(),
  pages: z.array(z.string()),
  warning: z.string().optional(),
  searchCredits: z.number().default(0),
})
