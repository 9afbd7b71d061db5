import type { FastifyRequest } from 'fastify'
import { BowlineError } from 'bowline/kit/errors'

/** A signal that aborts when the client disconnects. Disposing removes the listener. */
export interface DisconnectSignal extends Disposable {
  readonly signal: AbortSignal
}

/** Returns a signal for work that is pointless once the client has disconnected. */
export function abortOnDisconnect({ raw: { socket } }: Pick<FastifyRequest, 'raw'>): DisconnectSignal {
  const gone = new AbortController()
  const onClose = (): void => gone.abort(new BowlineError('ABORTED', 'The client disconnected'))
  if (socket.destroyed) onClose()
  else socket.once('close', onClose)
  return { signal: gone.signal, [Symbol.dispose]: () => socket.off('close', onClose) }
}
