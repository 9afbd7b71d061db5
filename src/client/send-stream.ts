import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { toResponse } from './to-response.ts'

/**
 * Sends a request with a stream as its body. Works like `fetch`, but with back pressure: the global
 * `fetch` buffers such a body without limit.
 */
export async function sendStream(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    signal: request.signal,
  })
  const { promise: response, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  outgoing.on('response', resolve)
  outgoing.on('error', reject)
  const body = request.body === null ? Readable.from([]) : Readable.fromWeb(request.body)
  // A service may respond and stop reading before it has received the whole body. Its response is
  // used.
  pipeline(body, outgoing).catch(reject)
  const incoming = await response
  const content = await text(incoming)
  outgoing.destroy()
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
  return toResponse(incoming.statusCode ?? 500, content, headers)
}
