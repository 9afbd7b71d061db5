import { z } from 'zod'

const har = z.object({
  /** Includes small text bodies of responses. Default: true. */
  bodies: z.boolean().default(true),
  /** Includes the values of cookies and credential headers. Default: false, which masks them. */
  secrets: z.boolean().default(false),
})

const video = z.object({
  /** Maximum frames per second, 1 to 15. A static page adds no frames. Default: 8. */
  maxFps: z.number().min(1).max(15).default(8),
})

/** Options of the recordings of a session. */
export const recordOptions = z.object({
  /** Records all requests as a HAR 1.2 file. Default: false. */
  har: z.union([z.boolean(), har]).default(false),
  /** Records console messages and errors of pages. Default: false. */
  console: z.boolean().default(false),
  /** Records the active page as a WebM video. Default: false. */
  video: z.union([z.boolean(), video]).default(false),
  /**
   * `on-failure` keeps recordings only if the session crashed, timed out, or was deleted with
   * `failed`. Default: `always`.
   */
  keep: z.enum(['always', 'on-failure']).default('always'),
})

/** Field `record` of `POST /v2/browser`. */
export const recordRequest = z.union([z.boolean(), recordOptions])

/** A recording of an ended session. */
export const recording = z.looseObject({
  /** Name that identifies the recording in other routes. */
  name: z.string(),
  contentType: z.string(),
  /** Size in bytes. Absent for `player.html`, which is generated when it is read. */
  size: z.number().optional(),
  /** URL of the recording. It contains a token: treat it as a secret. */
  url: z.string(),
  expiresAt: z.string(),
})

/** Content types of recordings: requests, console messages, `player.html`, video and picture. */
export const recordingTypes = [
  'application/json',
  'application/x-ndjson',
  'text/html',
  'video/webm',
  'image/webp',
] as const

/** Path parameters of a recording of a session. */
export const recordingParams = z.object({ id: z.string().min(1), name: z.string().min(1).max(100) })

/** Query of `GET /v2/browser/{id}/recordings/{name}`. The token of the URL replaces the API key. */
export const recordingQuery = z.object({ token: z.string().optional() })

/**
 * Response of `GET /v2/browser/{id}/recordings`. Empty while the session is active, and if no
 * recordings were kept.
 */
export const listRecordingsResponse = z.looseObject({
  success: z.literal(true),
  /** Name of the session. Absent without one. */
  sessionName: z.string().optional(),
  recordings: z.array(recording),
})

export type RecordOptions = z.output<typeof recordOptions>
export type RecordingType = (typeof recordingTypes)[number]
export type RecordRequest = z.output<typeof recordRequest>

/**
 * A recording of an ended session.
 *
 * @example
 * ```ts
 * import type { Recording } from 'bowline'
 *
 * function findVideo(recordings: readonly Recording[]): string | undefined {
 *   return recordings.find(({ contentType }) => contentType.startsWith('video/'))?.url
 * }
 * ```
 */
export type Recording = z.output<typeof recording>
