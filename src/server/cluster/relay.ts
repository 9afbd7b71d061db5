import {
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
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
  // Its end must stay where it was: without this, the body of a DELETE would be taken for further requests.
  const framing = request.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }
  const { onward, answered } = openRequest(peer, request, framing)
  response.once('close', () => onward.destroy())
  request.pipe(onward)
  const answer = await answered
  takeOver()
  response.writeHead(answer.statusCode ?? 502, ofMessage(answer.headers))
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

const ofMessage = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)))

const openRequest = (
  peer: Peer,
  request: IncomingMessage,
  extra: Readonly<Record<string, string>>,
): { readonly onward: ClientRequest; readonly answered: Promise<IncomingMessage> } => {
  // A request may name a host itself, which must not lead anywhere else.
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const url = new URL(peer.url)
  url.pathname = pathname
  url.search = search
  const onward = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: request.method ?? 'GET',
    headers: { ...ofMessage(request.headers), ...extra, [hopHeader]: peer.id },
    // Otherwise the certificate would have to be for the name that the client came by.
    servername: serverNameOf(hostOf(url)),
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

const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** What TLS is told of whom it speaks to: names only, no addresses. */
const serverNameOf = (host: string): string => (isIP(host) === 0 ? host : '')

const dial = async (url: URL): Promise<Socket> => {
  const isTls = url.protocol === 'https:'
  const target = { host: hostOf(url), port: Number(url.port || (isTls ? 443 : 80)) }
  const socket = isTls ? connectTls({ ...target, servername: serverNameOf(target.host) }) : connectTcp(target)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error('timed out')))
  socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket))
  socket.once('error', (error) => reject(unreachable('does not answer', error)))
  const connected = await promise
  connected.setTimeout(0)
  return connected
}
