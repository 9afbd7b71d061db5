import { z } from 'zod'

/** Data of the event `queued`: the position of a request that waits for a session. */
export const queueProgress = z.object({
  /** 1: the next free slot goes to this request. */
  position: z.number(),
  /** Seconds until it has a slot. `null` if the server cannot estimate them. */
  estimatedSeconds: z.number().nullable(),
})

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
export type QueueProgress = Readonly<z.output<typeof queueProgress>>
