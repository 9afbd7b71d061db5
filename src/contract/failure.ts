import { z } from 'zod'

/** Body of all error responses. */
export const failure = z.looseObject({
  success: z.literal(false).optional(),
  /** Error message with the subject, the value and the limit. */
  error: z.string(),
  /** Code from the error catalogue. */
  code: z.string().optional(),
  /** Validation issues or other machine-readable facts. */
  details: z.unknown().optional(),
  /** Suggested remedy. */
  hint: z.string().optional(),
  requestId: z.string().optional(),
  /** With the code CHECK_RUNNING: id of the running check. */
  checkId: z.string().optional(),
})

export type Failure = z.output<typeof failure>
