import { z } from 'zod'
import { parseJson } from '../kit/parse-json.ts'
import { addressesOf } from '../contract/fill-path.ts'
import { paths } from '../contract/paths.ts'
import { socketRoutes } from '../contract/server-routes.ts'
import { connectionFailed, refused, responseInvalid } from './read-response.ts'
import { sendStream } from './send-stream.ts'

/** `fetch`, headers and retries for file requests. */
export interface FilesTransport {
  readonly fetch: typeof globalThis.fetch
  readonly headers: Readonly<Record<string, string>>
  /** Least number of retries of a download without progress. 0: none. */
  readonly retries: number
}

/**
 * Derives the URL of the files from the CDP URL of a session. Returns `undefined` for services
 * without session files.
 */
export function filesUrl(cdpUrl: string): URL | undefined {
  const url = URL.parse(cdpUrl)
  if (url === null || !url.searchParams.has('token')) return undefined
  const path = filesPathOf(url.pathname)
  return path === undefined
    ? undefined
    : new URL(`${url.protocol.replace('ws', 'http')}//${url.host}${path}${url.search}`)
}

/** Replaces the path of the CDP socket at the end. A service may have a path in front of it. */
function filesPathOf(pathname: string): string | undefined {
  for (const [index, { path }] of addressesOf(socketRoutes.cdp).entries()) {
    const [before = '', id] = new RegExp(`^(.*)${path.replace('{id}', '([^/]+)')}$`).exec(pathname)?.slice(1) ?? []
    const filesPath = addressesOf(paths.listFiles)[index]?.path
    if (id !== undefined) return before + filesPath?.replace('{id}', id)
  }
  return undefined
}

/** A request for the files of a session, or for one of them. */
export interface FileRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly name?: string
  /** First byte of the file to send. Default: 0. */
  readonly offset?: number
  readonly query?: Readonly<Record<string, string>>
  readonly body?: ReadableStream<Uint8Array>
  readonly size?: number | undefined
}

/** Sends a file request. Rejects with a BowlineError, or with the reason of an aborted signal. */
export async function sendFileRequest(
  { fetch, headers }: Omit<FilesTransport, 'retries'>,
  base: URL,
  { method, name, offset = 0, query = {}, body, size }: FileRequest,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const url = name === undefined ? new URL(base) : fileUrl(base, name)
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
  const toSend = new Request(url, {
    method,
    headers: {
      ...headers,
      ...(offset === 0 ? {} : { range: `bytes=${offset}-` }),
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

/** Returns the URL of one file. */
export function fileUrl(base: URL, name: string): URL {
  const url = new URL(base)
  url.pathname += `/${encodeURIComponent(name)}`
  return url
}

/** Parses the JSON of a response. Rejects with RESPONSE_INVALID if it does not match the schema. */
export async function readJson<Schema extends z.ZodType>(
  response: Response,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await response.text()
  const parsed = schema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const { status, headers } = response
  throw responseInvalid('Response about session files does not match the API schema', text, {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
  })
}

function failureOf(text: string): unknown {
  return z.json().safeParse(parseJson(text)).data
}
