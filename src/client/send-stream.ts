import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/** Sends a request whose body is a stream, as `fetch` would: the global `fetch` reads such a body ahead without bound. */
export async function sendStream(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const onward = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    signal: request.signal,
  })
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  onward.on('response', resolve)
  onward.on('error', reject)
  const body = request.body === null ? Readable.from([]) : Readable.fromWeb(request.body)
  // A service may answer, and stop to listen, before it has everything: then its answer counts.
  pipeline(body, onward).catch(reject)
  const answer = await answered
  const content = await text(answer)
  onward.destroy()
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Response(content, { status: answer.statusCode ?? 500, headers })
}
