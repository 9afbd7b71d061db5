import { z } from 'zod'

/** A downloaded or uploaded file of a session. */
export const sessionFile = z.looseObject({
  /** Name, unique in the session. Identifies the file in other routes. */
  name: z.string(),
  direction: z.enum(['download', 'upload']),
  /** Size in bytes so far; the final size once `complete` is true. */
  size: z.number(),
  createdAt: z.string(),
  /** Whether the transfer is complete. */
  complete: z.boolean(),
  /** Why the transfer failed. */
  error: z.string().optional(),
  /** Id of a download in CDP events. Routes accept it instead of `name`. */
  guid: z.string().optional(),
})

/** Path parameters of a file of a session. */
export const fileParams = z.object({ id: z.string().min(1), name: z.string().min(1).max(4096) })

/** Query of the file routes. The token of the session's `cdpUrl` replaces the API key. */
export const filesQuery = z.object({ token: z.string().optional() })

/** Query of `POST /v2/browser/{id}/files`. */
export const uploadFileQuery = filesQuery.extend({
  /** File name that pages see. Can be a relative path for files of a folder. */
  name: z.string().min(1).max(4096),
  /**
   * Files of a group share a folder, for use with `<input webkitdirectory>`. Default: a new group.
   */
  group: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
  /** `lastModified` that pages see, in milliseconds since the epoch. Default: the upload time. */
  lastModified: z.coerce.number().int().min(-8.64e15).max(8.64e15).optional(),
})

/** Response of `GET /v2/browser/{id}/files`, oldest first. */
export const listFilesResponse = z.looseObject({ success: z.literal(true), files: z.array(sessionFile) })

/** Response of `POST /v2/browser/{id}/files`. */
export const uploadFileResponse = z.looseObject({
  success: z.literal(true),
  file: sessionFile,
  /** Path to use with `DOM.setFileInputFiles`. */
  path: z.string(),
})

/** Response of `DELETE /v2/browser/{id}/files/{name}`. */
export const deleteFileResponse = z.looseObject({ success: z.literal(true) })

/**
 * A file of a session: a download of its browser, or an upload.
 *
 * @example
 * ```ts
 * import type { SessionFile } from 'bowline'
 *
 * function isReady({ direction, complete, error }: SessionFile): boolean {
 *   return direction === 'download' && complete && error === undefined
 * }
 * ```
 */
export type SessionFile = z.output<typeof sessionFile>
export type UploadFileResponse = z.output<typeof uploadFileResponse>
