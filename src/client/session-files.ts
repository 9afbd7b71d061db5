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
import { writeWhole } from './write-whole.ts'

/** How a file is uploaded. */
export interface UploadOptions extends Abortable {
  /** File name as pages shall see it; may be a relative path. Default: the name of the local file, else `file`. */
  readonly name?: string | undefined
  /** Files of one group share a folder. Default: a new one. */
  readonly group?: string | undefined
  /** The `lastModified` that pages see, in milliseconds since the epoch. Default: that of the local file or `File`, else now. */
  readonly lastModified?: number | undefined
}

/** The files of a session: what its browser downloaded, and what it was sent. Bytes are streamed; no file is held in memory. */
export interface SessionFiles {
  /** Lists files, oldest first. */
  readonly list: (how?: Abortable) => Promise<readonly SessionFile[]>
  /** Reads a file by its name or guid. Rejects with FILE_NOT_FOUND, FILE_INCOMPLETE. Aborting breaks the stream. */
  readonly read: (name: string, how?: Abortable) => Promise<ReadableStream<Uint8Array>>
  /** Saves a file to a local path, which holds the whole file or is left as it was. */
  readonly download: (name: string, path: string, how?: Abortable) => Promise<void>
  /** Sends a local file (by its path), a Blob or a stream; `path` of the answer is for `DOM.setFileInputFiles`. Rejects with FILE_QUOTA_EXCEEDED. */
  readonly upload: (
    source: string | Blob | ReadableStream<Uint8Array>,
    options?: UploadOptions,
  ) => Promise<Pick<UploadFileResponse, 'file' | 'path'>>
  /** Deletes a file; a download that still runs is cancelled. Rejects with FILE_NOT_FOUND. */
  readonly delete: (name: string, how?: Abortable) => Promise<void>
}

/** How requests for files are sent. */
export interface FilesTransport {
  readonly fetch: typeof globalThis.fetch
  readonly headers: Readonly<Record<string, string>>
}

/** The address of a session's files, which its CDP address tells; undefined for services that have no such. */
export function filesUrl(cdpUrl: string): URL | undefined {
  const url = URL.parse(cdpUrl)
  const path = /^(.*\/v2\/(?:browser|interact)\/[^/]+)\/cdp$/.exec(url?.pathname ?? '')?.[1]
  if (url === null || path === undefined || !url.searchParams.has('token')) return undefined
  return new URL(`${url.protocol.replace('ws', 'http')}//${url.host}${path}/files${url.search}`)
}

/** Makes the files of the session at `cdpUrl`; the token in it opens them. Calls throw NOT_IMPLEMENTED for services without files. */
export function createSessionFiles(
  cdpUrl: string,
  transport: FilesTransport = { fetch: globalThis.fetch, headers: {} },
): SessionFiles {
  const base = filesUrl(cdpUrl)
  const send = async (call: FileCall, how: Abortable = {}): Promise<Response> => {
    checkOptions('session.files', how, { signal: true })
    const { signal } = how
    if (base === undefined) throw new BowlineError('NOT_IMPLEMENTED', 'This service does not keep files of sessions')
    signal?.throwIfAborted()
    return request(transport, base, call, signal)
  }
  const read = async (name: string, how?: Abortable): Promise<ReadableStream<Uint8Array>> => {
    const { body } = await send({ method: 'GET', name }, how)
    return body ?? new Blob([]).stream()
  }
  return {
    list: async (how) => listFilesResponse.parse(await (await send({ method: 'GET' }, how)).json()).files,
    read,
    download: async (name, path, how) => writeWhole(await read(name, how), path, how?.signal),
    upload: async (source, { name, group, lastModified, ...how } = {}) => {
      const { body, size, modifiedAt } = await openSource(source)
      const shown = lastModified ?? modifiedAt
      const query = {
        name: name ?? (typeof source === 'string' ? basename(source) : 'file'),
        ...(group && { group }),
        ...(shown !== undefined && { lastModified: String(Math.floor(shown)) }),
      }
      const answer = await send({ method: 'POST', query, body, size }, how)
      return uploadFileResponse.parse(await answer.json())
    },
    delete: async (name, how) => {
      await (await send({ method: 'DELETE', name }, how)).body?.cancel()
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
      // Lets the service refuse a file that is too large before it is sent.
      ...(size === undefined ? {} : { 'content-length': String(size) }),
    },
    ...(body === undefined ? {} : { body, duplex: 'half' }),
    ...(signal === undefined ? {} : { signal }),
  })
  const token = base.searchParams.get('token') ?? ''
  // A `fetch` of the user's own knows a way that others may not.
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
  /** In milliseconds since the epoch. */
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
    throw new BowlineError('BAD_REQUEST', `${source} is a folder`, { hint: 'Send its files, with one `group`.' })
  }
  // A pipe or a device does not know what will come. A file that grows meanwhile is sent as it was.
  const size = found.isFile() ? found.size : undefined
  const stream = size === 0 ? Readable.from([]) : createReadStream(source, size === undefined ? {} : { end: size - 1 })
  // Node's default counts chunks where it should count bytes, and would read the whole file ahead.
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes })
  const modifiedAt = size === undefined ? undefined : found.mtimeMs
  return { body: Readable.toWeb(stream, { strategy }) as ReadableStream<Uint8Array>, size, modifiedAt }
}
