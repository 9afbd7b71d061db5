import { z } from 'zod'

const har = z.object({
  /** Whether bodies of answers are in it, as far as they are text and small. Default true. */
  bodies: z.boolean().default(true),
  /** Whether the values of cookies and of headers that carry credentials are in it. Default false: they are blanked. */
  secrets: z.boolean().default(false),
})

const video = z.object({
  /** Most pictures a second, 1 to 15. Default 8. A page at rest has none. */
  maxFps: z.number().min(1).max(15).default(8),
})

/** What is recorded of a session. */
export const recordOptions = z.object({
  /** Every request as a HAR 1.2 file. Default false. */
  har: z.union([z.boolean(), har]).default(false),
  /** What pages wrote to the console, and their errors. Default false. */
  console: z.boolean().default(false),
  /** The page that is worked on, as a WebM video. Default false. */
  video: z.union([z.boolean(), video]).default(false),
  /**
   * Whether what was recorded is kept always, or only when the session ended by a crash or a lifetime, or its deletion
   * said that the work had failed. Default `always`.
   */
  keep: z.enum(['always', 'on-failure']).default('always'),
})

/** `record` of `POST /v2/browser`. */
export const recordRequest = z.union([z.boolean(), recordOptions])

/** One recording of an ended session. */
export const recording = z.looseObject({
  /** The key for reading it. */
  name: z.string(),
  contentType: z.string(),
  /** Bytes; absent for a page that is put together from the others when it is read. */
  size: z.number().optional(),
  /** Address to read it at, for everybody who has it. Treat it as a secret. */
  url: z.string(),
  expiresAt: z.string(),
})

/** Path parameters that name a recording of a session. */
export const recordingParams = z.object({ id: z.string().min(1), name: z.string().min(1).max(100) })

/** Query of `GET /v2/browser/{id}/recordings/{name}`. The token of its address is enough in place of an API key. */
export const recordingQuery = z.object({ token: z.string().optional() })

/** Answer of `GET /v2/browser/{id}/recordings`. Empty while the session lives, and when nothing was kept. */
export const listRecordingsResponse = z.looseObject({ success: z.literal(true), recordings: z.array(recording) })

export type RecordOptions = z.output<typeof recordOptions>
export type RecordRequest = z.output<typeof recordRequest>
export type Recording = z.output<typeof recording>
