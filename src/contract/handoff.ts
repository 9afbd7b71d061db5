import { z } from 'zod'

/** Limits of hand-offs. Lengths in characters, times in milliseconds. */
export const handoffLimits = {
  instructionsLength: 4096,
  reasonLength: 1024,
  maxTimeoutMs: 86_400_000,
  defaultTimeoutMs: 1_800_000,
  maxWaitSeconds: 25,
} as const

/** Fields of a request for a human, over HTTP and over CDP. */
export const handoffFields = {
  /** Task of the human, shown in the live view. At most 4096 characters. */
  instructions: z.string().max(handoffLimits.instructionsLength),
  /** Target id of the page. Default: the page that was used last. */
  targetId: z.string().min(1).max(200).optional(),
  /** Milliseconds until the hand-off ends without success, up to 24 hours. Default: 30 minutes. */
  timeout: z.int().min(1).max(handoffLimits.maxTimeoutMs).default(handoffLimits.defaultTimeoutMs),
  /**
   * Whether input of clients waits for the end of the hand-off or fails at once. Default: `wait`.
   */
  input: z.enum(['wait', 'fail']).default('wait'),
}

/** Body of `POST /v2/browser/{id}/handoff`. */
export const handoffRequest = z.object(handoffFields)

/** Query of the routes that return a hand-off. */
export const handoffQuery = z.object({
  /** Seconds to wait for the end of the hand-off, 0 to 25. Default: 0. */
  wait: z.coerce.number<number | string>().int().min(0).max(handoffLimits.maxWaitSeconds).default(0),
})

/** Path parameters of a hand-off. */
export const handoffParams = z.object({ id: z.string().min(1), handoffId: z.string().min(1).max(100) })

/** Reason for the end of a hand-off. */
export const handoffEndedBy = z.enum(['viewer', 'client', 'timeout', 'page-closed', 'session-ended'])

/** A hand-off of a page to a human. */
export const handoff = z.looseObject({
  id: z.string(),
  targetId: z.string(),
  instructions: z.string(),
  input: z.enum(['wait', 'fail']),
  /** `open` until the human, the client or a limit ends it. */
  status: z.enum(['open', 'succeeded', 'failed']),
  startedAt: z.string(),
  /** Time at which the hand-off times out. */
  expiresAt: z.string(),
  endedAt: z.string().optional(),
  endedBy: handoffEndedBy.optional(),
  /** Note of the human or the client, or a sentence about the limit that was reached. */
  reason: z.string().optional(),
})

/** Response of the routes about one hand-off. */
export const handoffResponse = z.looseObject({ success: z.literal(true), handoff })

export type HandoffInput = z.input<typeof handoffRequest>
export type HandoffEndedBy = z.output<typeof handoffEndedBy>
export type HandoffSummary = z.output<typeof handoff>
