import { z } from 'zod'

/**
 * Position of a request that waits for a session.
 *
 * @example
 * ```ts
 * import { Bowline, type QueueProgress } from 'bowline'
 *
 * const onQueued = ({ position, estimatedSeconds }: QueueProgress): void =>
 *   console.log(`Position ${position}, about ${estimatedSeconds ?? '?'} seconds`)
 * await using session = await new Bowline().sessions.create({ ttl: 60, wait: 120 }, { onQueued })
 * console.log(session.id)
 * ```
 */
export interface QueueProgress {
  /** 1: the next free slot goes to this request. */
  readonly position: number
  /** Seconds until it has a slot. `null` if the server cannot estimate them. */
  readonly estimatedSeconds: number | null
}

/** Data of the event `queued`. */
export const queueProgress: z.ZodType<QueueProgress> = z.object({
  position: z.number(),
  estimatedSeconds: z.number().nullable(),
})
