import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'

/** How long a client may go on sending what nobody wants before its connection is cut. */
const drainMs = 2000

/** The body of a request, which may be given up without cutting the connection: the caller still gets an answer. */
export const detachBody = (request: IncomingMessage): Readable => {
  const body = new PassThrough()
  request.pipe(body)
  const onEnd = (): void => {
    if (!request.complete) body.destroy(new Error('The client broke off'))
  }
  request.once('error', onEnd)
  request.once('close', onEnd)
  body.once('close', () => {
    request.off('close', onEnd)
    request.unpipe(body)
    request.resume()
    if (!request.complete) setTimeout(() => request.complete || request.destroy(), drainMs).unref()
  })
  return body
}
