import { checkOptions } from './check-options.ts'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { listFilesResponse, uploadFileResponse, type SessionFile, type UploadFileResponse } from '../contract/files.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import { connectionFailed, refused } from './middleware/translate.ts'
import { sendStream } from './send-stream.ts'
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
   * File name that pages see, or a relative path. Default: the name of the local file, else `file`.
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
   * Aborting ends the stream.
   */
  readonly read: (name: string, requestOptions?: Abortable) => Promise<ReadableStream<Uint8Array>>
  /**
   * Saves a file to a local path. The local file appears only when it is complete. Rejects with
   * FILE_NOT_FOUND or FILE_INCOMPLETE.
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

/** `fetch` and headers for file requests. */
export interface FilesTransport {
  readonly fetch: typeof globalThis.fetch
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Derives the URL of the files from the CDP URL of a session. Returns `undefined` for services
 * without session files.
 */
export function filesUrl(cdpUrl: string): URL | undefined {
  const url = URL.parse(cdpUrl)
  const path = /^(.*\/v2\/(?:browser|interact)\/[^/]+)\/cdp$/.exec(url?.pathname ?? '')?.[1]
  if (url === null || path === undefined || !url.searchParams.has('token')) return undefined
  return new URL(`${url.protocol.replace('ws', 'http')}//${url.host}${path}/files${url.search}`)
}

/**
 * Creates the `files` of a session, authorized by the token in `cdpUrl`. Its methods reject with
 * NOT_IMPLEMENTED if the service has no session files.
 */
export function createSessionFiles(
  cdpUrl: string,
  transport: FilesTransport = { fetch: globalThis.fetch, headers: {} },
): SessionFiles {
  const base = filesUrl(cdpUrl)
  const send = async (call: FileCall, requestOptions: Abortable = {}): Promise<Response> => {
    checkOptions('session.files', requestOptions, { signal: true })
    const { signal } = requestOptions
    if (base === undefined) throw new BowlineError('NOT_IMPLEMENTED', 'This service does not support session files')
    signal?.throwIfAborted()
    return request(transport, base, call, signal)
  }
  const read = async (name: string, requestOptions?: Abortable): Promise<ReadableStream<Uint8Array>> => {
    const { body } = await send({ method: 'GET', name }, requestOptions)
    return body ?? new Blob([]).stream()
  }
  return {
    list: async (requestOptions) =>
      listFilesResponse.parse(await (await send({ method: 'GET' }, requestOptions)).json()).files,
    read,
    download: async (name, path, requestOptions) =>
      writeFileAtomically(await read(name, requestOptions), path, requestOptions?.signal),
    upload: async (source, { name, group, lastModified, ...requestOptions } = {}) => {
      const { body, size, modifiedAt } = await openSource(source)
      const shown = lastModified ?? modifiedAt
      const query = {
        name: name ?? (typeof source === 'string' ? basename(source) : 'file'),
        ...(group && { group }),
        ...(shown !== undefined && { lastModified: String(Math.floor(shown)) }),
      }
      const answer = await send({ method: 'POST', query, body, size }, requestOptions)
      return uploadFileResponse.parse(await answer.json())
    },
    delete: async (name, requestOptions) => {
      await (await send({ method: 'DELETE', name }, requestOptions)).body?.cancel()
    },
  }
}

const readAheadBytes = 256 * 1024

interface FileCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly name?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: ReadableStream<Uint8Array>
  readonly size?: number | undefined
}

async function request(
  { fetch, headers }: FilesTransport,
  base: URL,
  { method, name, query = {}, body, size }: FileCall,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const url = new URL(base)
  if (name !== undefined) url.pathname += `/${encodeURIComponent(name)}`
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
  const toSend = new Request(url, {
    method,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      // Lets the service reject a file that is too large before it is sent.
      ...(size === undefined ? {} : { 'content-length': String(size) }),
    },
    ...(body === undefined ? {} : { body, duplex: 'half' }),
    ...(signal === undefined ? {} : { signal }),
  })
  const token = base.searchParams.get('token') ?? ''
  // A custom `fetch` may use its own network route, so it is kept for uploads as well.
  const send = body !== undefined && fetch === globalThis.fetch ? sendStream : fetch
  const response = await send(toSend).catch((error: unknown) => {
    throw signal?.aborted === true ? signal.reason : connectionFailed(toSend, error, token)
  })
  if (response.ok) return response
  const facts = { status: response.status, requestId: response.headers.get('x-request-id') ?? undefined }
  throw refused(response, failureOf(await response.text()), facts)
}

function failureOf(text: string): unknown {
  return z.json().safeParse(tryJson(text)).data
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface OpenSource {
  readonly body: ReadableStream<Uint8Array>
  readonly size?: number | undefined
  /** Milliseconds since the epoch. */
  readonly modifiedAt?: number | undefined
}

async function openSource(source: string | Blob | ReadableStream<Uint8Array>): Promise<OpenSource> {
  if (source instanceof Blob) {
    const modifiedAt = source instanceof File ? source.lastModified : undefined
    return { body: source.stream(), size: source.size, modifiedAt }
  }
  if (typeof source !== 'string') return { body: source }
  const found = await stat(source)
  if (found.isDirectory()) {
    throw new BowlineError('BAD_REQUEST', `${source} is a directory`, {
      hint: 'Upload its files one by one, with the same `group`.',
    })
  }
  // Pipes and devices have no size. A file that grows during the upload is sent with its initial
  // size.
  const size = found.isFile() ? found.size : undefined
  const stream = size === 0 ? Readable.from([]) : createReadStream(source, size === undefined ? {} : { end: size - 1 })
  // Node's default strategy counts chunks instead of bytes, and would read the whole file ahead.
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes })
  const modifiedAt = size === undefined ? undefined : found.mtimeMs
  return { body: Readable.toWeb(stream, { strategy }) as ReadableStream<Uint8Array>, size, modifiedAt }
}
