import { z } from 'zod'
import { handoff } from './handoff.ts'
import { maxIdempotencyKeyLength } from './idempotency.ts'
import { sessionMetadata, sessionName } from './session-options.ts'

/** Profile of a session: the version that was loaded, and the result of saving it. */
export const profileOutcome = z.looseObject({
  name: z.string(),
  saveChanges: z.boolean(),
  /** Whether it is saved only if the work of the session succeeds. Absent otherwise. */
  onlyOnSuccess: z.boolean().optional(),
  /** Version that the session has loaded. `null`: none was saved, so the browser started empty. */
  loadedVersion: z.int().nullable().optional(),
  /** Version that was saved when the session ended. */
  version: z.int().optional(),
  /** Why the profile was not saved. */
  error: z.string().optional(),
})

/** Why a session ended. `revoked`: the API key that created it was revoked. */
export const endReason = z.enum(['deleted', 'ttl', 'idle', 'crashed', 'drained', 'lost', 'revoked'])

/** Status of a session. */
export const sessionStatus = z.enum(['active', 'destroyed', 'error'])

/** Status that sessions can be listed by. `ended` is `destroyed` or `error`. */
export const listedStatus = z.enum([...sessionStatus.options, 'ended'])

const labels = {
  /** Name of the session. Absent without one. */
  name: z.string().optional(),
  /** Metadata of the session. Absent without any. */
  metadata: sessionMetadata.optional(),
}

/** Response of `POST /v2/browser`. Other services can omit the optional fields. */
export const createSessionResponse = z.looseObject({
  success: z.literal(true),
  id: z.string(),
  ...labels,
  /** WebSocket URL for the Chrome DevTools Protocol. Contains a token: treat it as a secret. */
  cdpUrl: z.string(),
  /** URL of the live view. Empty without a live view. */
  liveViewUrl: z.string().optional(),
  /** URL of the live view that forwards mouse and keyboard input. Empty without a live view. */
  interactiveLiveViewUrl: z.string().optional(),
  /** ISO 8601 time at which the `ttl` expires. */
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  /** Absent without a profile. */
  profile: profileOutcome.optional().catch(undefined),
  /** Names parts of the request that have no effect, such as unknown keys. */
  warning: z.string().optional(),
})

/** A session in a list. */
export const sessionSummary = z.looseObject({
  id: z.string(),
  ...labels,
  status: sessionStatus,
  /** Name of its team. Present if the request has `team`. */
  team: z.string().optional(),
  /** Absent, like the live view URLs, if the session belongs to another team than the key. */
  cdpUrl: z.string().optional(),
  liveViewUrl: z.string().optional(),
  interactiveLiveViewUrl: z.string().optional(),
  streamWebView: z.boolean().optional(),
  createdAt: z.string().optional(),
  lastActivity: z.string().optional(),
  expiresAt: z.string().optional(),
  endedAt: z.string().optional(),
  endReason: endReason.optional(),
  /** Milliseconds from creation to end. Present once the session has ended. */
  sessionDurationMs: z.int().optional(),
  /** Credits billed for the session. Present once the session has ended. */
  creditsBilled: z.number().optional(),
  profile: profileOutcome.optional(),
  /**
   * The oldest open hand-off to a human. In lists only for sessions that run on the server that
   * responds.
   */
  handoff: handoff.optional(),
  error: z.string().optional(),
})

/** Response of `GET /v2/browser/{id}`. */
export const getSessionResponse = sessionSummary.extend({
  success: z.literal(true),
  /**
   * Options of the request that created the session, with their defaults, without secrets. Absent
   * if the session belongs to another team than the key.
   */
  options: z.looseObject({}).optional(),
  /**
   * Options that `options` leaves out because they can contain secrets: `extraHeaders`, `proxy
   * credentials`, `webhook.headers`, or `webhook` if its URL has a query.
   */
  omittedOptions: z.array(z.string()).optional(),
})

/** Response of `PATCH /v2/browser/{id}`: the session after the change. */
export const updateSessionResponse = sessionSummary.extend({ success: z.literal(true) })

/** Value of `team` that lists the sessions of all teams (admin keys only). */
export const everyTeam = '*'

/** Query of `GET /v2/browser`. */
export const listSessionsQuery = z.object({
  /** Only sessions with this status; `ended` is any but `active`. */
  status: listedStatus.optional(),
  /** Only sessions that ended for this reason. */
  endReason: endReason.optional(),
  /** Only sessions with this profile. */
  profile: z.string().min(1).max(200).optional(),
  /** Only sessions that were created with the API key of this name or id. */
  key: z.string().min(1).max(100).optional(),
  /**
   * Only sessions whose id starts with this text, or whose name, profile or metadata contain it.
   */
  search: z.string().trim().min(1).max(200).optional(),
  /** Only sessions that were created at this time or later. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** Only sessions that were created before this time. */
  to: z.iso.datetime({ offset: true }).optional(),
  /** Only sessions with exactly this name. */
  name: sessionName.optional(),
  /**
   * Only sessions whose metadata contains all of these values, one parameter for each key, such as
   * `metadata[customer]=4711`.
   */
  metadata: sessionMetadata.optional(),
  /**
   * Name or id of another team, or `*` for all teams (admin keys only). Default: the team of the
   * key.
   */
  team: z.string().min(1).max(100).optional(),
  /** Maximum number of sessions, 1 to 1000. Default: 1000. */
  limit: z.coerce.number<number | string>().int().min(1).max(1000).default(1000),
  /** `cursor` of the previous page. */
  cursor: z.string().max(200).optional(),
})

/** Response of `GET /v2/browser`, newest first. */
export const listSessionsResponse = z.looseObject({
  success: z.literal(true),
  sessions: z.array(sessionSummary),
  /** Requests the next page. Absent on the last one. */
  cursor: z.string().optional(),
})

/** Body of `DELETE /v2/browser`. */
export const deleteSessionRequest = z
  .object({
    id: z.string().min(1).max(200).optional(),
    /**
     * The `x-idempotency-key` of the creation instead of `id`, for clients that never received the
     * id.
     */
    idempotencyKey: z.string().min(1).max(maxIdempotencyKeyLength).optional(),
    /**
     * Marks the work of the session as failed, so that recordings with `keep: "on-failure"` are
     * kept, and a profile with `saveChanges: "on-success"` is not saved.
     */
    failed: z.boolean().optional(),
  })
  .refine(({ id, idempotencyKey }) => (id === undefined) !== (idempotencyKey === undefined), {
    error: 'Set either `id` or `idempotencyKey`',
    path: ['id'],
  })

/** Query of `DELETE /v2/browser/{id}`. */
export const deleteSessionQuery = z.object({ failed: z.enum(['true', 'false']).optional() })

/**
 * Response of both delete routes. This server always includes the bill; other services can omit it.
 */
export const deleteSessionResponse = z.looseObject({
  success: z.literal(true),
  ...labels,
  /** Milliseconds from creation to end. */
  sessionDurationMs: z.int().optional(),
  /** Credits billed for the session. */
  creditsBilled: z.number().optional(),
  /** Why the session ended. Not `deleted` if it had ended before the request. */
  endReason: endReason.optional(),
  profile: profileOutcome.optional(),
  cleanupQueued: z.boolean().optional(),
})

/** Path parameters of a session. */
export const sessionParams = z.object({ id: z.string().min(1) })

export type CreateSessionResponse = z.output<typeof createSessionResponse>

/**
 * A session as lists and `sessions.get()` return it.
 *
 * @example
 * ```ts
 * import { Bowline, type SessionSummary } from 'bowline'
 *
 * const bowline = new Bowline()
 * const ended: readonly SessionSummary[] = await bowline.sessions.list({ status: 'ended' })
 * for (const { id, endReason, creditsBilled } of ended) console.log(id, endReason, creditsBilled)
 * ```
 */
export type SessionSummary = z.output<typeof sessionSummary>
export type ListedStatus = z.output<typeof listedStatus>
export type SessionStatus = z.output<typeof sessionStatus>
export type DeleteSessionRequest = z.output<typeof deleteSessionRequest>
export type DeleteSessionResponse = z.output<typeof deleteSessionResponse>
export type EndReason = z.output<typeof endReason>

/**
 * The profile of a session: the loaded version, and the saved one or why none was saved.
 *
 * @example
 * ```ts
 * import type { ProfileOutcome } from 'bowline'
 *
 * function check({ name, loadedVersion, error }: ProfileOutcome): void {
 *   if (loadedVersion === null) console.warn(`Nothing was saved under the name ${name}`)
 *   if (error !== undefined) console.error(`${name} was not saved: ${error}`)
 * }
 * ```
 */
export type ProfileOutcome = z.output<typeof profileOutcome>
