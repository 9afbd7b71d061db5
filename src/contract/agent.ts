import { z } from 'zod'
import { boundedArray, clientName } from './bounded.ts'
import { jsonSchema } from './formats.ts'
import { webhookFor } from './webhooks.ts'

/** Credits of an agent: the default of `maxCredits`, and what a team needs to start one. */
export const agentLimits = { maxCredits: { default: 2500, max: 1_000_000 }, needed: 20 } as const

/** Body of `POST /v2/agent`. Unknown keys are rejected. */
export const agentRequest = z
  .strictObject({
    /** Task of the agent. */
    prompt: z.string().min(1).max(10_000),
    /**
     * URLs to start at. With `strictConstrainToURLs`, one that ends in `/*` includes the pages
     * below it. Default: none, so that the agent searches.
     */
    urls: boundedArray(z.string().min(1).max(8000), 100).default([]),
    /** Reads only `urls`: no searches, links or redirects to other URLs. Default: false. */
    strictConstrainToURLs: z.boolean().default(false),
    /** JSON Schema of the result. Default: any object. */
    schema: jsonSchema.optional(),
    /** Maximum cost. An agent that cannot finish within it fails. Default: 2500. */
    maxCredits: z
      .number()
      .min(1)
      .max(agentLimits.maxCredits.max)
      .transform(Math.floor)
      .default(agentLimits.maxCredits.default),
    /** Has no effect: the server uses its own language model. Repeated in the status. */
    model: z.string().min(1).max(100).optional(),
    /** Has no effect. */
    effort: z.enum(['low', 'medium', 'high']).optional(),
    /** Receives `agent.started`, `action`, `completed`, `failed` and `cancelled`. */
    webhook: webhookFor(['started', 'action', 'completed', 'failed', 'cancelled']).optional(),
    /** Only `extract`: this server has no chats. */
    mode: z.literal('extract', { error: 'This server runs agents only in the mode extract' }).optional(),
    /** Not supported. */
    threadId: z.never({ error: 'This server has no threads of agents. Start a new agent' }).optional(),
    /** Only `{ enabled: false }`. */
    exchange: z
      .looseObject({ enabled: z.literal(false, { error: 'This server has no exchange of data' }).optional() })
      .optional(),
    /** Has no effect. */
    overrideWhitelist: z.unknown().optional(),
    /** Has no effect. */
    threatProtection: z.unknown().optional(),
    /** Has no effect. */
    auditMetadata: z.unknown().optional(),
    /** Name of the client program. Ignored. */
    origin: clientName.optional(),
    /** Name of the integration. Ignored. */
    integration: clientName.nullable().optional(),
  })
  .superRefine(({ urls, strictConstrainToURLs, model, effort }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message, input: urls })
    if (strictConstrainToURLs && urls.length === 0) refuse('urls', '`strictConstrainToURLs` requires `urls`')
    if (model !== undefined && effort !== undefined) refuse('effort', 'Set either `model` or `effort`')
  })

/** Response of `POST /v2/agent`. */
export const startAgentResponse = z.looseObject({ success: z.literal(true), id: z.string() })

/** Status of an agent. */
export const agentStatus = z.enum(['processing', 'completed', 'failed'])

/** Response of `GET /v2/agent/{id}`. */
export const agentStatusResponse = z.looseObject({
  success: z.boolean(),
  /** A cancelled agent has failed, with `stopReason`. */
  status: agentStatus,
  /** Result. Absent unless the agent has completed. */
  data: z.unknown().optional(),
  /** Why the agent failed. */
  error: z.string().optional(),
  stopReason: z.enum(['cancelled', 'credit_limit_reached']).optional(),
  /** `model` of the request. */
  model: z.string(),
  expiresAt: z.string(),
  /** Cost so far, with its browser sessions. */
  creditsUsed: z.int(),
})

/** Response of `DELETE /v2/agent/{id}`. */
export const cancelAgentResponse = z.looseObject({ success: z.literal(true) })

/** An event of a run. Further fields depend on `type`. */
export const agentEvent = z.looseObject({
  schemaVersion: z.literal(1),
  eventId: z.string(),
  runId: z.string(),
  occurredAt: z.string(),
  /** Position in the run, from 1. */
  producerSequence: z.int(),
  agent: z.looseObject({ id: z.string(), role: z.string(), name: z.string() }),
  /** Such as `tool_call.finished`. */
  type: z.string(),
  /** Cost of the step that the event ends. */
  creditsUsed: z.int().optional(),
})

/** Query of `GET /v2/agent/{id}/trace`. */
export const agentTraceQuery = z.object({
  /** Whether the response has the running browser sessions. Default: false. */
  liveView: z.enum(['true', 'false']).default('false'),
})

/** Response of `GET /v2/agent/{id}/trace`. */
export const agentTraceResponse = z.looseObject({
  success: z.literal(true),
  id: z.string(),
  events: z.array(agentEvent),
  creditsUsed: z.int(),
  /** Only with `liveView=true`. */
  activeBrowserSessions: z
    .array(
      z.looseObject({
        id: z.string(),
        liveViewUrl: z.string(),
        viewport: z.object({ width: z.int(), height: z.int() }),
      }),
    )
    .optional(),
})

/** Response of `GET /v2/agent/{id}/snapshots/{snapshotId}`. */
export const agentSnapshotResponse = z.looseObject({
  success: z.literal(true),
  id: z.string(),
  snapshotId: z.string(),
  /** Output of a tool, or the result as JSON. */
  snapshot: z.string(),
})

/** Path parameters of an agent. */
export const agentParams = z.object({ id: z.string().min(1) })

/** Path parameters of a snapshot. */
export const agentSnapshotParams = z.object({ id: z.string().min(1), snapshotId: z.string().min(1) })

export type AgentRequest = z.output<typeof agentRequest>
/**
 * Options of an agent.
 *
 * @example
 * ```ts
 * import { Bowline, type AgentOptions } from 'bowline'
 *
 * const options: AgentOptions = {
 *   urls: ['https://example.com'],
 *   schema: { type: 'object', properties: { heading: { type: 'string' } } },
 *   maxCredits: 200,
 * }
 * const { data } = await new Bowline().agent('Find the heading of the page.', options)
 * console.log(data)
 * ```
 */
export type AgentOptions = Omit<z.input<typeof agentRequest>, 'prompt' | 'threadId'>
export type AgentEvent = z.output<typeof agentEvent>
export type AgentStatusResponse = z.output<typeof agentStatusResponse>
/**
 * Steps of an agent, with their costs.
 *
 * @example
 * ```ts
 * import { Bowline, type AgentTraceResponse } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { id } = await bowline.agent('Find the heading of the page.', {
 *   urls: ['https://example.com'],
 * })
 * const { events }: AgentTraceResponse = await bowline.getAgentTrace(id)
 * for (const { type } of events) console.log(type)
 * ```
 */
export type AgentTraceResponse = z.output<typeof agentTraceResponse>
