import { z } from 'zod'
import { executeFields, executeOutcome } from './execute.ts'

/** Seconds of the session of a scrape: its lifetime, and its maximum idle time. */
export const interactTimes = { ttl: 600, activityTtl: 300 } as const

/**
 * Body of `POST /v2/scrape/{id}/interact`. `code` is used if both `code` and `prompt` are sent.
 * With a prompt, `timeout` limits each step.
 */
export const interactRequest = z
  .object({
    ...executeFields,
    code: executeFields.code.optional(),
    /** Task for the language model of the server, which drives the session in at most 25 steps. */
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
 * Response of `POST /v2/scrape/{id}/interact`. `success` is false if the code or the prompt failed,
 * or was killed. With a prompt, `stdout` has the outputs of all tools and `result` the last
 * snapshot of the page.
 */
export const interactResponse = z.looseObject({
  success: z.boolean(),
  sessionId: z.string(),
  cdpUrl: z.string(),
  liveViewUrl: z.string(),
  interactiveLiveViewUrl: z.string(),
  /** Closing text of the language model. Only with a prompt. */
  output: z.string().optional(),
  ...executeOutcome.shape,
})

export type InteractRequest = z.output<typeof interactRequest>
export type InteractResponse = z.output<typeof interactResponse>
