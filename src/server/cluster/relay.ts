import { request as httpRequest, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { failure } from '../../contract/failure.ts'
import { BowlineError } from '../../kit/errors.ts'
import { splice } from '../../kit/splice.ts'
import { unreachable, type Peer } from './peers.ts'

/** Marks a request that one server hands to another, so that it is never handed on again. */
export const hopHeader = 'x-bowline-hop'

/** Time for a peer to take a connection. */
const connectTimeoutMs = 5000

/**
 * Passes a whole request to a peer and its answer back, streamed. The Host header stays that of the client, so that
 * addresses in the answer are those the client came by. `takeOver` is called before the first byte goes back. Throws
 * NODE_UNREACHABLE before that.
 */
export const relayRequest = async (
  peer: Peer,
  request: IncomingMessage,
  response: ServerResponse,
  takeOver: () => void,
): Promise<void> => {
  const { onward, answered } = openRequest(peer, request, {})
  response.once('close', () => onward.destroy())
  request.pipe(onward)
  const answer = await answered
  takeOver()
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  await pipeline(answer, response)
}

/** Asks a peer what was asked of this server, with a body already read. Throws the peer's error as its own, or NODE_UNREACHABLE. */
export const askPeer = async (peer: Peer, request: IncomingMessage, body: unknown): Promise<unknown> => {
  const text = JSON.stringify(body)
  const { onward, answered } = openRequest(peer, request, { 'content-length': String(Buffer.byteLength(text)) })
  onward.end(text)
  const answer = await answered
  const content = await json(answer)
  const status = answer.statusCode ?? 502
  if (status < 400) return content
  const { error, code, hint, details, requestId } = failure.parse(content)
  const retryAfterSeconds = Number(answer.headers['retry-after']) || undefined
  throw new BowlineError(code ?? 'UNKNOWN_ERROR', error, { status, hint, details, requestId, retryAfterSeconds })
}

/** Headers that speak of one connection, not of the message. */
const ofConnection: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect'])

const openRequest = (
  peer: Peer,
  request: IncomingMessage,
  extra: Readonly<Record<string, string>>,
): { readonly onward: ClientRequest; readonly answered: Promise<IncomingMessage> } => {
  const url = new URL(request.url ?? '/', peer.url)
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !ofConnection.has(name)))
  const onward = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: request.method ?? 'GET',
    headers: { ...headers, ...extra, [hopHeader]: peer.id },
  })
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  onward.on('response', resolve)
  onward.on('error', (error) => reject(unreachable('does not answer', error)))
  onward.setTimeout(connectTimeoutMs, () => {
    if (onward.socket?.connecting === true) onward.destroy(new Error('timed out'))
  })
  return { onward, answered }
}

/** Passes a WebSocket upgrade to a peer and joins the two connections. Throws NODE_UNREACHABLE when it cannot be reached. */
export const relayUpgrade = async (
  peer: Peer,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> => {
  const onward = await dial(new URL(peer.url))
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/1.1`, `${hopHeader}: ${peer.id}`]
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`)
  }
  onward.write(`${lines.join('\r\n')}\r\n\r\n`)
  if (head.length > 0) onward.write(head)
  socket.setNoDelay(true)
  onward.setNoDelay(true)
  splice(socket, onward)
}

const dial = async (url: URL): Promise<Socket> => {
  const isTls = url.protocol === 'https:'
  const target = { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || (isTls ? 443 : 80)) }
  const socket = isTls ? connectTls({ ...target, servername: target.host }) : connectTcp(target)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error('timed out')))
  socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket))
  socket.once('error', (error) => reject(unreachable('does not answer', error)))
  const connected = await promise
  connected.setTimeout(0)
  return connected
}
