import { z } from 'zod'

/** Headers of requests that start a job or create a session. */
export const idempotencyHeaders = z.object({
  /**
   * Makes the request safe to repeat: a later one of the team with the same key, path and body
   * returns what the first one has created. With another body it fails with
   * IDEMPOTENCY_KEY_REUSED.
   */
  'x-idempotency-key': z.string().optional(),
})
