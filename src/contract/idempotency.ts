import { z } from 'zod'

/** Maximum number of characters of an idempotency key. */
export const maxIdempotencyKeyLength = 1000

/** Headers of requests that start a job or create a session. */
export const idempotencyHeaders = z.object({
  /**
   * Makes the request safe to repeat: a later one of the team with the same key, path and body
   * returns what the first one has created. With another body it fails with
   * IDEMPOTENCY_KEY_REUSED. At most 1000 characters.
   */
  'x-idempotency-key': z.string().max(maxIdempotencyKeyLength).optional(),
})
