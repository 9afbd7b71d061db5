import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { BowlineError } from '../../kit/errors.ts'
import type { Target } from './allow-list.ts'
import type { LaneContext } from './lane-context.ts'
import { explainFailure, rawAnswer } from './refusal.ts'
import { splice } from './splice.ts'

/** Answers CONNECT: a tunnel to the judged target, or an answer that says why there is none. */
export const openTunnel = async (
  context: LaneContext,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> => {
  const gone = new AbortController()
  const onClose = (): void => gone.abort()
  socket.on('error', () => socket.destroy()).once('close', onClose)
  let target: Target | undefined
  try {
    target = parseAuthority(request.url ?? '')
    const remote = await context.connect(target, gone.signal)
    socket.off('close', onClose)
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) remote.write(head)
    splice(socket, remote)
  } catch (error) {
    if (socket.destroyed) return
    context.note(error, target)
    socket.end(rawAnswer(explainFailure(error, 'text')), () => socket.destroy())
  }
}

/** Reads `host:port` or `[address]:port`. Throws BAD_REQUEST. */
export const parseAuthority = (authority: string): Target => {
  const [, bracketed, plain, digits] = /^(?:\[([^\]\s]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(authority) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || !(port >= 1 && port <= 65_535)) {
    throw new BowlineError('BAD_REQUEST', 'CONNECT takes a host and a port')
  }
  return { host, port }
}
