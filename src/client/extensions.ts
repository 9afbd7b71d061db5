import { extensionResponse, type BrowserExtension } from '../contract/extensions.ts'
import { paths } from '../contract/paths.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'
import { checkOptions } from './check-options.ts'
import type { ClientConfig } from './config.ts'
import { sendFileRequest } from './file-requests.ts'
import { openUploadSource } from './upload-source.ts'

/**
 * Manages the browser extensions of the team, which sessions load by their ids.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * for (const { id, name, version } of await bowline.extensions.list()) {
 *   console.log(id, name, version)
 *   await using session = await bowline.sessions.create({ ttl: 60, extensions: [id] })
 *   console.log(session.id)
 * }
 * ```
 */
export interface Extensions {
  /**
   * Uploads the zip of an extension: a local file (given by its path), a Blob or a stream. Rejects
   * with EXTENSION_INVALID, EXTENSION_QUOTA_EXCEEDED or PAYLOAD_TOO_LARGE.
   */
  readonly upload: (
    source: string | Blob | ReadableStream<Uint8Array>,
    requestOptions?: Abortable,
  ) => Promise<BrowserExtension>
  /** Lists the extensions of the team, newest first. */
  readonly list: (requestOptions?: Abortable) => Promise<readonly BrowserExtension[]>
  /** Returns an extension by its id. Rejects with EXTENSION_NOT_FOUND. */
  readonly get: (id: string, requestOptions?: Abortable) => Promise<BrowserExtension>
  /**
   * Deletes an extension. Sessions that have loaded it keep it. Rejects with EXTENSION_NOT_FOUND.
   */
  readonly delete: (id: string, requestOptions?: Abortable) => Promise<void>
}

/** Creates `bowline.extensions`. */
export function createExtensions(call: Call, { baseUrl, apiKey, headers, fetch }: ClientConfig): Extensions {
  const transport = { fetch, headers: { ...headers, authorization: `Bearer ${apiKey}` } }
  return {
    upload: async (source, requestOptions = {}) => {
      checkOptions('extensions.upload()', requestOptions, { signal: true })
      requestOptions.signal?.throwIfAborted()
      const { method, path } = paths.uploadExtension
      const { body, size } = await openUploadSource(source)
      const request = { method, body, size }
      const response = await sendFileRequest(transport, new URL(baseUrl + path), request, requestOptions.signal)
      return extensionResponse.parse(await response.json()).data
    },
    list: async (requestOptions = {}) => (await call('listExtensions', {}, requestOptions)).data,
    get: async (id, requestOptions = {}) => (await call('getExtension', { params: { id } }, requestOptions)).data,
    delete: async (id, requestOptions = {}) => {
      await call('deleteExtension', { params: { id } }, requestOptions)
    },
  }
}
