import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { failure } from 'bowline/contract/failure'
import { BowlineError } from 'bowline/kit/errors'
import { ofMessage, openPeerRequest, type PeerLimits } from './peer-requests.ts'
import { unreachable, type Peer } from './peers.ts'

/** Reads come from a database, memory or disk. */
const readLimits: PeerLimits = { answerMs: 30_000 }

/** The end of a session saves its profile and stores its files and recordings first, which may take over five minutes. */
const workLimits: PeerLimits = { answerMs: 400_000 }

/**
 * Passes a whole request to a peer and its answer back, streamed. The Host header stays that of the client, so that
 * addresses in the answer are those the client came by. `takeOver` is called before the first byte goes back. Throws
 * NODE_UNREACHABLE before that, also for a peer that hangs.
 */
export async function relayRequest(
  peer: Peer,
  request: IncomingMessage,
  response: ServerResponse,
  takeOver: () => void,
  limits: PeerLimits = request.method === 'GET' || request.method === 'HEAD' ? readLimits : workLimits,
): Promise<void> {
  // Its end must stay where it was: without this, the body of a DELETE would be taken for further requests.
  const extra: Record<string, string> =
    request.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }
  const { method = 'GET', url = '/', headers } = request
  using relayed = openPeerRequest(peer, { method, path: url, headers, extra }, limits)
  const { onward, answered } = relayed
  response.once('close', () => onward.destroy())
  request.pipe(onward)
  const answer = await answered
  takeOver()
  response.writeHead(answer.statusCode ?? 502, ofMessage(answer.headers))
  // The head has gone out: all that can still be said is that the body is not whole.
  await pipeline(answer, response).catch(() => response.destroy())
}

/** How a peer is asked, where that differs from the request of the client. */
export interface AskOptions extends Partial<PeerLimits> {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Aborting drops the request, for the peer to notice. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks a peer what was asked of this server, with a body already read. Throws the peer's error as its own, or
 * NODE_UNREACHABLE, also for a peer that hangs.
 */
export async function askPeer(
  peer: Peer,
  request: IncomingMessage,
  body: unknown,
  options: AskOptions = {},
): Promise<unknown> {
  const text = JSON.stringify(body)
  const { method = request.method ?? 'GET', path = request.url ?? '/', signal, ...limits } = options
  const extra = { ...options.headers, 'content-length': String(Buffer.byteLength(text)) }
  const target = { method, path, headers: request.headers, extra }
  using asked = openPeerRequest(peer, target, { ...workLimits, ...limits })
  const { onward, answered } = asked
  const drop = (): void => void onward.destroy(new Error('nobody waits for it any more'))
  signal?.addEventListener('abort', drop)
  if (signal?.aborted === true) drop()
  onward.end(text)
  try {
    return await readAnswer(await answered)
  } finally {
    signal?.removeEventListener('abort', drop)
  }
}

async function readAnswer(answer: IncomingMessage): Promise<unknown> {
  const content = await json(answer).catch((cause: unknown) => {
    throw unreachable('broke off its answer', cause)
  })
  const status = answer.statusCode ?? 502
  if (status < 400) return content
  const { error, code, hint, details, requestId } = failure.parse(content)
  const retryAfterSeconds = Number(answer.headers['retry-after']) || undefined
  throw new BowlineError(code ?? 'UNKNOWN_ERROR', error, { status, hint, details, requestId, retryAfterSeconds })
}
