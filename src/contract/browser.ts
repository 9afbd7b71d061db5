import { z } from 'zod'
import { recordRequest } from './recordings.ts'

/** Lifetimes of a session in seconds (API specification, part 8; the default of `ttl` is what public clients meet). */
export const sessionLimits = {
  ttl: { min: 30, max: 3600, default: 600 },
  activityTtl: { min: 10, max: 3600, default: 300 },
  profileName: { min: 1, max: 128 },
} as const

const profileFields = z.object({
  /** 1 to 128 characters, but neither `.` nor `..`. Sessions with the same name share storage. */
  name: z
    .string()
    .min(sessionLimits.profileName.min)
    .max(sessionLimits.profileName.max)
    // Addresses are read as paths: such a profile could be written, and never be read or deleted.
    .refine((name) => name !== '.' && name !== '..', '`profile.name` cannot be "." or "..": choose another name'),
  /** Whether browser state is written back at the end. Only one session at a time may write. Default true. */
  saveChanges: z.boolean().default(true),
})

/** Clients in Python write `save_changes`. */
function toCamelCase(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('save_changes' in value)) return value
  const { save_changes: saveChanges, ...rest } = value
  return { saveChanges, ...rest }
}

/** Persistent storage shared by name between the sessions of a team. */
export const profile = z.preprocess(toCamelCase, profileFields) as unknown as typeof profileFields

/** Body of `POST /v2/browser`. Unknown keys are ignored. */
export const createSessionRequest = z.object({
  /** Total lifetime in seconds, 30 to 3600. Default 600. */
  ttl: z.int().min(sessionLimits.ttl.min).max(sessionLimits.ttl.max).default(sessionLimits.ttl.default),
  /** Seconds without activity after which the session ends, 10 to 3600. Default 300. */
  activityTtl: z
    .int()
    .min(sessionLimits.activityTtl.min)
    .max(sessionLimits.activityTtl.max)
    .default(sessionLimits.activityTtl.default),
  /** Whether a live view can be watched. Default true. */
  streamWebView: z.boolean().default(true),
  profile: profile.optional(),
  /** What a client's `Browser.close` (Puppeteer's `browser.close()`) does: leave the session, or end it. Default `disconnect`. */
  onBrowserClose: z.enum(['disconnect', 'delete']).default('disconnect'),
  /** Whether finished downloads and uploads can be read for a while after the end (24 hours, as the server is set). Default false. */
  keepFiles: z.boolean().default(false),
  /** What is recorded of the session. `true` records everything, and keeps it however the session ends. Default: nothing. */
  record: recordRequest.optional(),
})

/** What became of a session's profile. */
export const profileOutcome = z.looseObject({
  name: z.string(),
  saveChanges: z.boolean(),
  /** Version that the end of the session saved. */
  version: z.int().optional(),
  /** Why the end saved nothing though it should have. */
  error: z.string().optional(),
})

/** Why a session ended. `revoked`: the API key that created it was revoked. */
export const endReason = z.enum(['deleted', 'ttl', 'idle', 'crashed', 'drained', 'lost', 'revoked'])

/** Where a session is in its life. */
export const sessionStatus = z.enum(['active', 'destroyed', 'error'])

/** Answer of `POST /v2/browser`. A service may omit the optional fields. */
export const createSessionResponse = z.looseObject({
  success: z.literal(true),
  id: z.string(),
  /** WebSocket address for the Chrome DevTools Protocol. Holds a token: treat it as a secret. */
  cdpUrl: z.string(),
  /** Page that shows the session. Empty without a live view. */
  liveViewUrl: z.string().optional(),
  /** Page that shows the session and passes input on. Empty without a live view. */
  interactiveLiveViewUrl: z.string().optional(),
  /** ISO 8601 time at which the total lifetime is over. */
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  /** Names the keys of the request that were ignored. */
  warning: z.string().optional(),
})

/** One session, as lists show it. */
export const sessionSummary = z.looseObject({
  id: z.string(),
  status: sessionStatus,
  /** Name of its team. Present when `team` was asked for. */
  team: z.string().optional(),
  /** Absent, like the URLs of the live view, when the session belongs to another team than the key. */
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
  error: z.string().optional(),
})

/** Answer of `GET /v2/browser/{id}`. */
export const getSessionResponse = sessionSummary.extend({ success: z.literal(true) })

/** What an admin key names in place of a team to list the sessions of all teams. */
export const everyTeam = '*'

/** Query of `GET /v2/browser`. */
export const listSessionsQuery = z.object({
  status: sessionStatus.optional(),
  /** Name or id of another team, or `*` for all teams: admin keys only. Default: the team of the key. */
  team: z.string().min(1).max(100).optional(),
  /** Most sessions, 1 to 1000. Default 1000. */
  limit: z.coerce.number<number | string>().int().min(1).max(1000).default(1000),
})

/** Answer of `GET /v2/browser`, newest first. */
export const listSessionsResponse = z.looseObject({ success: z.literal(true), sessions: z.array(sessionSummary) })

/** Body of `DELETE /v2/browser`. */
export const deleteSessionRequest = z
  .object({
    id: z.string().min(1).max(200).optional(),
    /** Instead of `id`: the `x-idempotency-key` that the session was created with, for clients that never got its id. */
    idempotencyKey: z.string().min(1).max(1000).optional(),
    /** Whether what was done with the session failed: recordings that are kept for failures are kept then. */
    failed: z.boolean().optional(),
  })
  .refine(({ id, idempotencyKey }) => (id === undefined) !== (idempotencyKey === undefined), {
    error: 'Give either `id` or `idempotencyKey`',
    path: ['id'],
  })

/** Query of `DELETE /v2/browser/{id}`. */
export const deleteSessionQuery = z.object({ failed: z.enum(['true', 'false']).optional() })

/** Answer of both forms of delete. The bill is on every answer of this server; other services may omit it. */
export const deleteSessionResponse = z.looseObject({
  success: z.literal(true),
  /** Milliseconds from creation to end. */
  sessionDurationMs: z.int().optional(),
  /** Credits billed for the session. */
  creditsBilled: z.number().optional(),
  profile: profileOutcome.optional(),
  cleanupQueued: z.boolean().optional(),
})

/** Path parameters that name a session. */
export const sessionParams = z.object({ id: z.string().min(1) })

export type CreateSessionRequest = z.output<typeof createSessionRequest>
export type CreateSessionOptions = z.input<typeof createSessionRequest>
export type CreateSessionResponse = z.output<typeof createSessionResponse>
export type SessionSummary = z.output<typeof sessionSummary>
export type SessionStatus = z.output<typeof sessionStatus>
export type DeleteSessionRequest = z.output<typeof deleteSessionRequest>
export type DeleteSessionResponse = z.output<typeof deleteSessionResponse>
export type EndReason = z.output<typeof endReason>
export type ProfileOutcome = z.output<typeof profileOutcome>
export type Profile = z.output<typeof profile>
