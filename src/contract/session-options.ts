import { z } from 'zod'
import { atMostEntries } from './bounded.ts'
import { preprocess } from './preprocess.ts'
import { recordRequest } from './recordings.ts'
import { sessionExtensions } from './extensions.ts'
import { browserArgs } from './session-launch.ts'
import {
  sessionExtraHeaders,
  sessionGeolocation,
  sessionLocale,
  sessionTimezone,
  sessionUserAgent,
  viewport,
} from './session-emulation.ts'
import { allowedDomains, blockedDomains, sessionProxy } from './session-network.ts'
import { sessionWebhook } from './webhooks.ts'

/**
 * Limits of session options. Times are in seconds. They follow part 8 of the API specification,
 * except for the maximum of `ttl`, which servers limit further with `--max-ttl`. The default of
 * `ttl` is the one that public clients expect.
 */
export const sessionLimits = {
  ttl: { min: 30, max: 86_400, default: 600 },
  activityTtl: { min: 10, max: 3600, default: 300 },
  profileName: { min: 1, max: 128 },
  name: { min: 1, max: 200 },
  metadata: { keys: 50, keyLength: 40, valueLength: 500 },
} as const

/** Name of a session, 1 to 200 characters. Several sessions can have the same name. */
export const sessionName = z
  .string()
  .min(sessionLimits.name.min)
  .max(sessionLimits.name.max)
  // Lists show it in one line.
  .refine((name) => !/\p{Cc}/u.test(name), 'cannot contain line breaks or other control characters')

/** Key of the metadata of a session, 1 to 40 characters. */
export const sessionMetadataKey = z.string().min(1).max(sessionLimits.metadata.keyLength)

/** Value of the metadata of a session, up to 500 characters. */
export const sessionMetadataValue = z.string().max(sessionLimits.metadata.valueLength)

/** Metadata of a session: at most 50 keys with their values. */
export const sessionMetadata = z
  .record(sessionMetadataKey, sessionMetadataValue)
  .superRefine(atMostEntries(sessionLimits.metadata.keys))

const profileFields = z.object({
  /** 1 to 128 characters, but neither `.` nor `..`. Sessions with the same name share storage. */
  name: z
    .string()
    .min(sessionLimits.profileName.min)
    .max(sessionLimits.profileName.max)
    // URL parsers resolve these as path segments, so such a profile could not be read or deleted.
    .refine((name) => name !== '.' && name !== '..', '`profile.name` cannot be "." or "..": choose another name'),
  /**
   * Saves the browser state when the session ends. With `on-success`, it is saved only if the
   * session is deleted and its work has not failed. One session at a time can save. Default: true.
   */
  saveChanges: z.union([z.boolean(), z.literal('on-success')]).default(true),
})

/** Accepts `save_changes`, as Python clients send it. */
function toCamelCase(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('save_changes' in value)) return value
  const { save_changes: saveChanges, ...rest } = value
  return { saveChanges, ...rest }
}

/** Persistent browser state, shared by name between the sessions of a team. */
export const profile = preprocess(toCamelCase, profileFields)

/** Body of `POST /v2/browser`. Unknown keys are ignored. */
export const createSessionRequest = z.object({
  /**
   * Maximum lifetime in seconds, 30 to 86400, within the limit of the server: 3600, unless it is
   * started with another `--max-ttl`. Default: 600.
   */
  ttl: z
    .int()
    .min(sessionLimits.ttl.min)
    .max(sessionLimits.ttl.max)
    .default(sessionLimits.ttl.default)
    .meta({ description: 'Maximum lifetime in seconds, within `--max-ttl` of the server (3600 by default)' }),
  /** Maximum idle time in seconds, 10 to 3600. Default: 300. */
  activityTtl: z
    .int()
    .min(sessionLimits.activityTtl.min)
    .max(sessionLimits.activityTtl.max)
    .default(sessionLimits.activityTtl.default),
  /** Name by which people recognize the session, 1 to 200 characters. It need not be unique. */
  name: sessionName.optional(),
  /**
   * Metadata, by which sessions can be found: at most 50 keys of up to 40 characters with values of
   * up to 500 characters.
   */
  metadata: sessionMetadata.optional(),
  /**
   * URL that receives the events `session.started` and `session.ended` (with the bill), or an
   * object with `url`, `events`, `headers` and `metadata`.
   */
  webhook: sessionWebhook.optional(),
  /** Enables the live view. Default: true. */
  streamWebView: z.boolean().default(true),
  /**
   * Profile with which the session starts. A profile that does not exist is created. Default: none.
   */
  profile: profile.optional(),
  /**
   * Effect of `Browser.close` (Puppeteer's `browser.close()`): disconnect the client or delete the
   * session. Default: `disconnect`.
   */
  onBrowserClose: z.enum(['disconnect', 'delete']).default('disconnect'),
  /**
   * Keeps complete downloads and uploads after the session has ended, for the retention of the
   * server (24 hours by default). Default: false.
   */
  keepFiles: z.boolean().default(false),
  /** Hosts to which the session may connect. Default: all that the server permits. */
  allowedDomains: allowedDomains.optional(),
  /** Hosts to which the session may not connect. Default: none. */
  blockedDomains: blockedDomains.optional(),
  /**
   * Proxy for connections to public addresses. Addresses that the operator allows with `--allow`
   * are connected to directly. Default: that of the server, if it has one.
   */
  proxy: sessionProxy.optional(),
  /**
   * Flags with which Chromium is started, at most 20, such as `--font-render-hinting=none`. Only
   * flags that change neither isolation nor network access are allowed; the error of another flag
   * lists them. The session then starts a browser of its own. Default: none.
   */
  args: browserArgs.optional(),
  /**
   * Size of pages in CSS pixels and device pixels per CSS pixel (`deviceScaleFactor`, default: 1).
   * The session then starts a browser of its own. Default: 1280 × 720 with the toolbar, if any.
   */
  viewport: viewport.optional(),
  /**
   * Time zone of the IANA database, such as `Europe/Berlin`. The session then starts a browser of
   * its own. Default: that of the server.
   */
  timezone: sessionTimezone.optional(),
  /**
   * `false` runs full Chromium with windows on a virtual display, as on a desktop. The server needs
   * full Chromium and Xvfb. Default: true.
   */
  headless: z.boolean().optional(),
  /**
   * Ids of uploaded browser extensions to load, at most 5. The server needs full Chromium and
   * `--isolation strict`. The session then starts a browser of its own. Default: none.
   */
  extensions: sessionExtensions.optional(),
  /**
   * Language tag, such as `de-DE`, of `navigator.language`, `Intl` and `Accept-Language`. The
   * session then starts a browser of its own. Default: `en-US`.
   */
  locale: sessionLocale.optional(),
  /**
   * User agent of all requests and of `navigator`, with client hints that match it. The session
   * then starts a browser of its own. Default: that of the browser.
   */
  userAgent: sessionUserAgent.optional(),
  /** Position, which pages may read without a prompt. Default: none. */
  geolocation: sessionGeolocation.optional(),
  /**
   * Headers to add to requests, by origin, such as `https://api.example.com`, or
   * `https://*.example.com` for all subdomains. Headers of clients and pages take precedence.
   * Requests to another origin, also after a redirect, do not have them. Default: none.
   */
  extraHeaders: sessionExtraHeaders.optional(),
  /** Records the session. `true` records everything and always keeps it. Default: no recordings. */
  record: recordRequest.optional(),
})

/** Body of `PATCH /v2/browser/{id}`. Absent fields stay as they are. */
export const updateSessionRequest = z.object({
  /**
   * Seconds from now until the session ends, 30 to 86400. The lifetime since its creation stays
   * within `--max-ttl` of the server. An extension reserves credits, and a shorter time releases
   * them.
   */
  ttl: z
    .int()
    .min(sessionLimits.ttl.min)
    .max(sessionLimits.ttl.max)
    .optional()
    .meta({ description: 'Seconds from now until the session ends' }),
  /** Maximum idle time in seconds, 10 to 3600. It counts from now. */
  activityTtl: z.int().min(sessionLimits.activityTtl.min).max(sessionLimits.activityTtl.max).optional(),
  /** New name. `null` removes the name. */
  name: sessionName.nullable().optional(),
  /**
   * Metadata to merge with those of the session. `null` removes a key. All others stay as they are.
   */
  metadata: z
    .record(sessionMetadataKey, sessionMetadataValue.nullable())
    .superRefine(atMostEntries(2 * sessionLimits.metadata.keys))
    .optional(),
})

/** Maximum of `wait` in seconds. */
export const maxSessionWait = 300

/** Query of `POST /v2/browser`. */
export const createSessionQuery = z.object({
  /**
   * Seconds to wait in the queue if all sessions of the server or the team are in use, or until the
   * session that writes the profile has ended, 0 to 300. Default: 0, which fails at once with 429
   * or 409. With `Accept: text/event-stream`, the response is a stream of events: `queued` with
   * `position` and `estimatedSeconds`, then `created` with the session or `error` with the error.
   */
  wait: z.coerce.number<number | string>().int().min(0).max(maxSessionWait).default(0),
})

/**
 * Changes of an active session. Absent fields stay as they are.
 *
 * @example
 * ```ts
 * import { Bowline, type UpdateSessionOptions } from 'bowline'
 *
 * const tenMoreMinutes: UpdateSessionOptions = { ttl: 600, metadata: { retry: null } }
 * await using session = await new Bowline().sessions.create({ ttl: 60 })
 * await session.update(tenMoreMinutes)
 * console.log(session.expiresAt)
 * ```
 */
export type UpdateSessionOptions = z.input<typeof updateSessionRequest>
export type CreateSessionRequest = z.output<typeof createSessionRequest>
/**
 * Options of a session.
 *
 * @example
 * ```ts
 * import { Bowline, type CreateSessionOptions } from 'bowline'
 *
 * const options: CreateSessionOptions = {
 *   ttl: 120, // seconds
 *   name: 'Nightly export',
 *   metadata: { customer: '4711' },
 *   activityTtl: 60,
 *   profile: { name: 'shop', saveChanges: false },
 *   record: { video: true, keep: 'on-failure' },
 * }
 * await using session = await new Bowline().sessions.create(options)
 * console.log(session.expiresAt)
 * ```
 */
export interface CreateSessionOptions extends z.input<typeof createSessionRequest> {
  /**
   * Seconds to wait in the queue of the server if all sessions of the server or the team are in
   * use, or until the session that writes the profile has ended, 0 to 300. Default: fail at once
   * with CONCURRENCY_LIMIT or PROFILE_LOCKED.
   */
  readonly wait?: number | undefined
}
/**
 * Profile that a session loads, and saves when it ends unless `saveChanges` is false. With
 * `on-success`, it is saved only if the work of the session did not fail.
 *
 * @example
 * ```ts
 * import { Bowline, type Profile } from 'bowline'
 *
 * const profile: Profile = { name: 'signed-in', saveChanges: false }
 * await new Bowline().withSession({ ttl: 60, profile }, ({ session }) => console.log(session.id))
 * ```
 */
export type Profile = z.output<typeof profile>
