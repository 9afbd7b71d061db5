import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { parseAbsoluteUrl, targetOf } from './forward.ts'
import { joinTarget } from './join-target.ts'
import type { LaneContext } from './lane-context.ts'

/** Passes on a request to leave HTTP on a plain connection, such as a WebSocket of a client that does not use CONNECT. */
export const forwardUpgrade = async (
  context: LaneContext,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> =>
  joinTarget(context, socket, head, () => {
    const url = parseAbsoluteUrl(request.url ?? '')
    const start = `${request.method} ${url.pathname}${url.search} HTTP/1.1\r\n`
    return {
      target: targetOf(url),
      greet: (remote) => void remote.write(`${start}${headLines(request.rawHeaders)}\r\n`),
    }
  })

const headLines = (raw: readonly string[]): string =>
  raw
    .map((part, index) => {
      if (index % 2 === 1) return ''
      return /^proxy-/i.test(part) ? '' : `${part}: ${raw[index + 1] ?? ''}\r\n`
    })
    .join('')
