import { pollRetries } from './call.ts'
import { checkOptions } from './check-options.ts'
import { listFilesResponse, uploadFileResponse, type SessionFile, type UploadFileResponse } from '../contract/files.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import { filesUrl, readJson, sendFileRequest, type FileRequest, type FilesTransport } from './file-requests.ts'
import { streamFile } from './stream-file.ts'
import { openUploadSource } from './upload-source.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

/**
 * Options of `session.files.upload()`.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * await bowline.withSession({ ttl: 60 }, async ({ session }) => {
 *   const { path } = await session.files.upload(new Blob(['id;name']), { name: 'people.csv' })
 *   console.log(path) // for the CDP command DOM.setFileInputFiles
 * })
 * ```
 */
export interface UploadOptions extends Abortable {
  /**
   * File name that pages see, or a relative path. Default: the name of the local file or `File`,
   * else `file`.
   */
  readonly name?: string | undefined
  /** Uploads with the same group share a directory. Default: a new directory. */
  readonly group?: string | undefined
  /**
   * `lastModified` that pages see, in milliseconds since the epoch. Default: that of the local file
   * or `File`, else now.
   */
  readonly lastModified?: number | undefined
}

/**
 * Files of a session: downloads of its browser, and uploads to it. Contents are streamed and never
 * held in memory as a whole.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * await bowline.withSession({ ttl: 60 }, async ({ session }) => {
 *   await session.files.upload(new Blob(['hello']), { name: 'hello.txt' })
 *   for (const { name, size } of await session.files.list()) console.log(name, size)
 * })
 * ```
 */
export interface SessionFiles {
  /** Lists the files, oldest first. */
  readonly list: (requestOptions?: Abortable) => Promise<readonly SessionFile[]>
  /**
   * Streams a file, given by name or download guid. Rejects with FILE_NOT_FOUND or FILE_INCOMPLETE.
   * Aborting ends the stream. After a lost connection, the stream continues where it stopped; if
   * the server cannot be reached for half a minute, it fails with CONNECTION_FAILED.
   */
  readonly read: (name: string, requestOptions?: Abortable) => Promise<ReadableStream<Uint8Array>>
  /**
   * Saves a file to a local path. The local file appears only when it is complete. Rejects with
   * FILE_NOT_FOUND or FILE_INCOMPLETE, and with CONNECTION_FAILED as the stream of `read()` does.
   */
  readonly download: (name: string, path: string, requestOptions?: Abortable) => Promise<void>
  /**
   * Uploads a local file (given by its path), a Blob or a stream. The returned `path` is for the
   * CDP command `DOM.setFileInputFiles`. Rejects with FILE_QUOTA_EXCEEDED.
   */
  readonly upload: (
    source: string | Blob | ReadableStream<Uint8Array>,
    options?: UploadOptions,
  ) => Promise<Pick<UploadFileResponse, 'file' | 'path'>>
  /** Deletes a file, or cancels a running download. Rejects with FILE_NOT_FOUND. */
  readonly delete: (name: string, requestOptions?: Abortable) => Promise<void>
}

/**
 * Creates the `files` of a session, authorized by the token in `cdpUrl`. Its methods reject with
 * NOT_IMPLEMENTED if the service has no session files.
 */
export function createSessionFiles(
  cdpUrl: string,
  transport: FilesTransport = { fetch: globalThis.fetch, headers: {}, retries: pollRetries },
): SessionFiles {
  const base = filesUrl(cdpUrl)
  const check = (requestOptions: Abortable): URL => {
    checkOptions('session.files', requestOptions, { signal: true })
    if (base === undefined) throw new BowlineError('NOT_IMPLEMENTED', 'This service does not support session files')
    requestOptions.signal?.throwIfAborted()
    return base
  }
  const send = async (fileRequest: FileRequest, requestOptions: Abortable = {}): Promise<Response> =>
    sendFileRequest(transport, check(requestOptions), fileRequest, requestOptions.signal)
  const read = async (name: string, requestOptions: Abortable = {}): Promise<ReadableStream<Uint8Array>> =>
    streamFile(transport, { base: check(requestOptions), name }, requestOptions.signal)
  return {
    list: async (requestOptions) =>
      (await readJson(await send({ method: 'GET' }, requestOptions), listFilesResponse)).files,
    read,
    download: async (name, path, requestOptions) =>
      writeFileAtomically(await read(name, requestOptions), path, requestOptions?.signal),
    upload: async (source, { name, group, lastModified, ...requestOptions } = {}) => {
      const { body, size, name: ownName = 'file', modifiedAt } = await openUploadSource(source)
      const shown = lastModified ?? modifiedAt
      const query = {
        name: name ?? ownName,
        ...(group && { group }),
        ...(shown !== undefined && { lastModified: String(Math.trunc(shown)) }),
      }
      return readJson(await send({ method: 'POST', query, body, size }, requestOptions), uploadFileResponse)
    },
    delete: async (name, requestOptions) => {
      await (await send({ method: 'DELETE', name }, requestOptions)).body?.cancel()
    },
  }
}
