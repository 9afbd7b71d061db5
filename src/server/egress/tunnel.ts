import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { BowlineError } from '../../kit/errors.ts'
import type { Target } from './allow-list.ts'
import { joinTarget } from './join-target.ts'
import type { LaneContext } from './lane-context.ts'

/** Answers CONNECT: a tunnel to the judged target, or an answer that says why there is none. */
export const openTunnel = async (
  context: LaneContext,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> =>
  joinTarget(context, socket, head, () => ({
    target: parseAuthority(request.url ?? ''),
    greet: () => void socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
  }))

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
