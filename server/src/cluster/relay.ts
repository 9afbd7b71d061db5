import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { failure } from 'bowline/contract/failure'
import { BowlineError } from 'bowline/kit/errors'
import { inSpan } from '../kit/current-work.ts'
import { endToEndHeaders, openPeerRequest, relaySpan, type PeerLimits } from './peer-requests.ts'
import { unreachable, type Peer } from './peers.ts'

/** Reads are served from the database, memory or disk. */
const readLimits: PeerLimits = { responseTimeoutMs: 30_000 }

/**
 * Ending a session first saves its profile and stores its files and recordings, which may take over
 * five minutes.
 */
const workLimits: PeerLimits = { responseTimeoutMs: 400_000 }

/**
 * Relays a request and its response, streamed. The Host header stays that of the client, so that
 * URLs in the response work for it. `takeOver` is called before the first byte of the response is
 * sent. Throws NODE_UNREACHABLE before that, including when the peer hangs.
 */
export async function relayRequest(
  peer: Peer,
  request: IncomingMessage,
  response: ServerResponse,
  takeOver: () => void,
  options: RelayOptions = {},
): Promise<void> {
  await inSpan('relay', async () => stream(peer, { request, response, takeOver, options }), relaySpan(peer))
}

/** Options of `relayRequest`. */
export interface RelayOptions extends Partial<PeerLimits> {
  /** The body, if it was already read. Default: that of the request. */
  readonly body?: string | undefined
}

/** Arguments of `relayRequest`. */
interface RelayedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly takeOver: () => void
  readonly options: RelayOptions
}

async function stream(peer: Peer, { request, response, takeOver, options }: RelayedRequest): Promise<void> {
  const { body, ...limits } = options
  const { method = 'GET', url = '/', headers } = request
  const target = { method, path: url, headers, extra: framingOf(request, body) }
  using peerRequest = openPeerRequest(peer, target, { ...limitsOf(request), ...limits })
  const { outgoing } = peerRequest
  response.once('close', () => outgoing.destroy())
  if (body === undefined) request.pipe(outgoing)
  else outgoing.end(body)
  const peerResponse = await peerRequest.response
  takeOver()
  response.writeHead(peerResponse.statusCode ?? 502, endToEndHeaders(peerResponse.headers))
  // The headers were sent already, so an error can only cut the body short.
  await pipeline(peerResponse, response).catch(() => response.destroy())
}

function limitsOf({ method }: IncomingMessage): PeerLimits {
  return method === 'GET' || method === 'HEAD' ? readLimits : workLimits
}

/**
 * Returns headers that preserve the body's framing. Without them, the body of a DELETE would be
 * parsed as further requests.
 */
function framingOf({ headers }: IncomingMessage, body: string | undefined): Record<string, string> {
  if (body !== undefined) return { 'content-length': String(Buffer.byteLength(body)) }
  return headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }
}

/** Overrides of a request to a peer. Default: the same as the client's request. */
export interface PeerRequestOptions extends Partial<PeerLimits> {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Aborting cancels the request. The peer notices that its connection closes. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a peer the request of a client, whose body was already read, and returns the parsed
 * response. Throws the peer's error, or NODE_UNREACHABLE, including when the peer hangs.
 */
export async function requestPeer(
  peer: Peer,
  request: IncomingMessage,
  body: unknown,
  options: PeerRequestOptions = {},
): Promise<unknown> {
  return inSpan('relay', async () => sendJson(peer, request, body, options), relaySpan(peer))
}

async function sendJson(
  peer: Peer,
  request: IncomingMessage,
  body: unknown,
  options: PeerRequestOptions,
): Promise<unknown> {
  const text = JSON.stringify(body)
  const { method = request.method ?? 'GET', path = request.url ?? '/', signal, ...limits } = options
  // The client may have sent no body, and so no content type.
  const framing = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  const extra = { ...options.headers, ...framing }
  const target = { method, path, headers: request.headers, extra }
  using peerRequest = openPeerRequest(peer, target, { ...workLimits, ...limits })
  const { outgoing, response } = peerRequest
  const cancel = (): void => void outgoing.destroy(new Error('the request was aborted'))
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted === true) cancel()
  outgoing.end(text)
  try {
    return await readResponse(await response)
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

async function readResponse(response: IncomingMessage): Promise<unknown> {
  const content = await json(response).catch((cause: unknown) => {
    throw unreachable('closed the connection before its response was complete', cause)
  })
  const status = response.statusCode ?? 502
  if (status < 400) return content
  const { error, code, hint, details, requestId } = failure.parse(content)
  const retryAfterSeconds = Number(response.headers['retry-after']) || undefined
  throw new BowlineError(code ?? 'UNKNOWN_ERROR', error, { status, hint, details, requestId, retryAfterSeconds })
}
