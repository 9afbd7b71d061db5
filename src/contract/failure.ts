import { z } from 'zod'

/** The body of every answer that is not a success. */
export const failure = z.looseObject({
  success: z.literal(false).optional(),
  /** What went wrong, in one sentence that names the thing, the value and the limit. */
  error: z.string(),
  /** Code from the error catalogue. */
  code: z.string().optional(),
  /** Validation issues or other facts for programs. */
  details: z.unknown().optional(),
  /** What the caller can do about it. */
  hint: z.string().optional(),
  requestId: z.string().optional(),
})

export type Failure = z.output<typeof failure>
