import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { parseAbsoluteUrl, targetOf } from './forward.ts'
import type { LaneContext } from './lane-context.ts'
import { explainFailure, rawAnswer } from './refusal.ts'
import { splice } from './splice.ts'

/** Passes on a request to leave HTTP on a plain connection, such as a WebSocket of a client that does not use CONNECT. */
export const forwardUpgrade = async (
  context: LaneContext,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> => {
  const gone = new AbortController()
  const onClose = (): void => gone.abort()
  socket.on('error', () => socket.destroy()).once('close', onClose)
  try {
    const url = parseAbsoluteUrl(request.url ?? '')
    const remote = await context.connect(targetOf(url), gone.signal)
    socket.off('close', onClose)
    remote.write(`${request.method} ${url.pathname}${url.search} HTTP/1.1\r\n${headLines(request.rawHeaders)}\r\n`)
    if (head.length > 0) remote.write(head)
    splice(socket, remote)
  } catch (error) {
    if (socket.destroyed) return
    context.note(error, undefined)
    socket.end(rawAnswer(explainFailure(error, 'text')), () => socket.destroy())
  }
}

const headLines = (raw: readonly string[]): string =>
  raw
    .map((part, index) => {
      if (index % 2 === 1) return ''
      return /^proxy-/i.test(part) ? '' : `${part}: ${raw[index + 1] ?? ''}\r\n`
    })
    .join('')
