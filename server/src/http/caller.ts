import type { FastifyRequest } from 'fastify'
import { BowlineError } from 'bowline/kit/errors'

/** A signal that aborts when the caller hangs up. Disposing takes its listener away. */
export interface CallerPresence extends Disposable {
  readonly signal: AbortSignal
}

/** Watches the connection of a request, for work that nobody need do once the caller is gone. */
export function untilCallerLeaves({ raw: { socket } }: Pick<FastifyRequest, 'raw'>): CallerPresence {
  const gone = new AbortController()
  const onClose = (): void => gone.abort(new BowlineError('ABORTED', 'The caller hung up'))
  if (socket.destroyed) onClose()
  else socket.once('close', onClose)
  return { signal: gone.signal, [Symbol.dispose]: () => socket.off('close', onClose) }
}
