import { z } from 'zod'

/** A file of a session: downloaded by its browser, or uploaded for its pages. */
export const sessionFile = z.looseObject({
  /** Unique in the session; the key for reading and deleting. */
  name: z.string(),
  direction: z.enum(['download', 'upload']),
  /** Bytes so far; all of them once `complete`. */
  size: z.number(),
  createdAt: z.string(),
  /** Whether the whole file is there. */
  complete: z.boolean(),
  /** Why it will never be complete. */
  error: z.string().optional(),
  /** Id of a download in CDP events; `name` and `guid` both find the file. */
  guid: z.string().optional(),
})

/** Path parameters that name a file of a session. */
export const fileParams = z.object({ id: z.string().min(1), name: z.string().min(1).max(4096) })

/** Query of the routes of files. The session's control token, as in its `cdpUrl`, is enough in place of an API key. */
export const filesQuery = z.object({ token: z.string().optional() })

/** Query of `POST /v2/browser/{id}/files`. */
export const uploadFileQuery = filesQuery.extend({
  /** File name as pages shall see it. May be a relative path, for files of a folder. */
  name: z.string().min(1).max(4096),
  /** Files that share a group share a folder, so that `<input webkitdirectory>` can be given it. Default: a new one. */
  group: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
  /** The `lastModified` that pages see, in milliseconds since the epoch. Default: the time of the upload. */
  lastModified: z.coerce.number().int().min(-8.64e15).max(8.64e15).optional(),
})

/** Answer of `GET /v2/browser/{id}/files`, oldest first. */
export const listFilesResponse = z.looseObject({ success: z.literal(true), files: z.array(sessionFile) })

/** Answer of `POST /v2/browser/{id}/files`. */
export const uploadFileResponse = z.looseObject({
  success: z.literal(true),
  file: sessionFile,
  /** The path to name in `DOM.setFileInputFiles`. */
  path: z.string(),
})

/** Answer of `DELETE /v2/browser/{id}/files/{name}`. */
export const deleteFileResponse = z.looseObject({ success: z.literal(true) })

export type SessionFile = z.output<typeof sessionFile>
export type UploadFileResponse = z.output<typeof uploadFileResponse>
