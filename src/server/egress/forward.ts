import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream/promises'
import { BowlineError, isBowlineError } from '../../kit/errors.ts'
import type { Target } from './allow-list.ts'
import { endToEndHeaders } from './headers.ts'
import type { LaneContext } from './lane-context.ts'
import { explainFailure } from './refusal.ts'

/** The longest head of a message that is passed on: what Chromium takes. */
export const maxHeaderBytes = 256 * 1024

/** Passes a plain http request on to its judged target, over a connection of `agent`, and the answer back. */
export const forwardRequest = (
  context: LaneContext,
  agent: Agent,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  try {
    const url = parseAbsoluteUrl(request.url ?? '')
    send({ context, agent, request, response, url, isRetry: false })
  } catch (error) {
    answerFailure(response, error)
  }
}

/** Reads the address of a proxied request. Throws BAD_REQUEST unless it is an absolute http one. */
export const parseAbsoluteUrl = (text: string): URL => {
  const url = URL.parse(text)
  if (url === null || !(url.protocol === 'http:' || url.protocol === 'ws:')) {
    throw new BowlineError('BAD_REQUEST', 'This is an egress proxy: it takes absolute http addresses and CONNECT')
  }
  return url
}

/** The host and port of an address, as connections are made to it. */
export const targetOf = (url: URL): Target => ({
  host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
  port: Number(url.port || 80),
})

interface Exchange {
  readonly context: LaneContext
  readonly agent: Agent
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly isRetry: boolean
}

const send = (exchange: Exchange): void => {
  const { agent, request, response, url } = exchange
  const onward = httpRequest({
    ...targetOf(url),
    agent,
    method: request.method ?? 'GET',
    path: url.pathname + url.search,
    headers: endToEndHeaders(request.rawHeaders),
    // What Chromium would have understood must not fail here; each browser has connections of its own.
    insecureHTTPParser: true,
    maxHeaderSize: maxHeaderBytes,
  })
  onward.once('response', (answer) => void passBack(answer, response))
  onward.once('upgrade', (_answer, socket) => {
    socket.destroy()
    failed({ ...exchange, isRetry: true }, onward, new Error('The target changed the protocol unasked'))
  })
  onward.on('error', (error) => failed(exchange, onward, error))
  response.once('close', () => onward.destroy())
  if (hasBody(request)) request.pipe(onward)
  else onward.end()
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const passBack = async (answer: IncomingMessage, response: ServerResponse): Promise<void> => {
  response.sendDate = false
  try {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer.rawHeaders))
    await pipeline(answer, response)
  } catch {
    // Half an answer must look like one: the connection breaks as the target's did.
    response.destroy()
  }
}

const failed = (exchange: Exchange, onward: ClientRequest, error: Error): void => {
  const { context, request, response, url, isRetry } = exchange
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  // The target had closed the kept connection in the meantime.
  if (onward.reusedSocket && !isRetry && !hasBody(request)) {
    send({ ...exchange, isRetry: true })
    return
  }
  context.note(error, targetOf(url))
  if (isBowlineError(error) && error.code === 'EGRESS_REFUSED') answerFailure(response, error)
  // Without an answer a navigation fails, as it would without a proxy; a page of ours would look like one of the site.
  else response.destroy()
}

const answerFailure = (response: ServerResponse, error: unknown): void => {
  const { status, headers, body } = explainFailure(error, 'html')
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
