import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'

/** Milliseconds a client may keep sending an unwanted body before its connection is closed. */
const drainMs = 2000

/**
 * Returns the body of a request as a stream that can be destroyed without closing the connection,
 * so that the client still gets a response.
 */
export function detachBody(request: IncomingMessage): Readable {
  const body = new PassThrough()
  // Readers handle errors themselves. Without a reader, an error must not crash the server.
  body.on('error', () => undefined)
  request.pipe(body)
  const onEnd = (): void => {
    if (!request.complete) body.destroy(new BowlineError('BAD_REQUEST', 'The client aborted the upload'))
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
