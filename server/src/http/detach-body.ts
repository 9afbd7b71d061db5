import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'

/** How long a client may go on sending what nobody wants before its connection is cut. */
const drainMs = 2000

/** The body of a request, which may be given up without cutting the connection: the caller still gets an answer. */
export function detachBody(request: IncomingMessage): Readable {
  const body = new PassThrough()
  // Whoever reads it hears of its errors; when nobody does any more, they must not end the server.
  body.on('error', () => undefined)
  request.pipe(body)
  const onEnd = (): void => {
    if (!request.complete) body.destroy(new BowlineError('BAD_REQUEST', 'The client broke the upload off'))
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
