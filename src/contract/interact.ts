import { z } from 'zod'
import { executeFields, executeOutcome } from './execute.ts'

/** Seconds of the session of a scrape: its lifetime, and its maximum idle time. */
export const interactTimes = { ttl: 600, activityTtl: 300 } as const

/** Body of `POST /v2/scrape/{id}/interact`. `code` is used if both `code` and `prompt` are sent. */
export const interactRequest = z
  .object({
    ...executeFields,
    code: executeFields.code.optional(),
    /** Not supported by this server. */
    prompt: z.string().min(1).max(10_000).optional(),
    /** Runs the code in this session of the team instead, without repeating the scrape. */
    existingSessionId: z.string().min(1).max(200).optional(),
    /** Name of the integration. Ignored. */
    integration: z.string().nullable().optional(),
  })
  .refine(({ code, prompt }) => code !== undefined || prompt !== undefined, {
    error: "Either 'code' or 'prompt' must be provided.",
  })

/**
 * Response of `POST /v2/scrape/{id}/interact`. `success` is false if the code failed or was killed.
 */
export const interactResponse = z.looseObject({
  success: z.boolean(),
  sessionId: z.string(),
  cdpUrl: z.string(),
  liveViewUrl: z.string(),
  interactiveLiveViewUrl: z.string(),
  ...executeOutcome.shape,
})

export type InteractRequest = z.output<typeof interactRequest>
export type InteractResponse = z.output<typeof interactResponse>
