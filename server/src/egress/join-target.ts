import type { Socket } from 'node:net'
import { pipeSockets } from '../kit/pipe-sockets.ts'
import type { HttpRoute } from './connector.ts'
import type { HostPort } from './host-port.ts'
import type { EndpointConnector } from './endpoint-connector.ts'

/** A client's request to connect to a target. */
export interface JoinRequest {
  readonly target: HostPort
  /** `Proxy-Authorization` header of the client. */
  readonly authorization?: string | undefined
  /** Bytes the client sent after its request. */
  readonly head: Buffer
  /** Sends the client a success response. */
  readonly onJoin: () => void
  /**
   * Whether the client sends first. What the target sends before that, such as its end, then waits
   * up to a second: Chromium reports another error if it comes before the request or together with
   * the success response.
   */
  readonly isClientFirst?: boolean | undefined
  /** Lets a slow connection take longer; see `ConnectOptions`. */
  readonly onSlow?: (() => void) | undefined
  /**
   * Forwards the plain http requests of the client to an HTTP proxy of the session. Default: the
   * proxy opens a tunnel.
   */
  readonly onProxy?: ((route: HttpRoute) => void) | undefined
  /** Sends the client an error response. */
  readonly onFail: (error: unknown) => void
}

/** Connects a client of a proxy endpoint to a target, if the address policy permits. */
export async function joinTarget(connector: EndpointConnector, socket: Socket, request: JoinRequest): Promise<void> {
  const { target, authorization, head, isClientFirst = false, onJoin, onSlow, onProxy, onFail } = request
  const closed = new AbortController()
  const onClose = (): void => closed.abort()
  socket.once('close', onClose)
  try {
    const options = { authorization, onSlow, signal: closed.signal }
    const route: HttpRoute =
      onProxy === undefined
        ? { socket: await connector.connect(target, options) }
        : await connector.connectHttp(target, options)
    const remote = route.socket
    socket.off('close', onClose)
    onJoin()
    if (route.proxy !== undefined) {
      if (head.length > 0) socket.unshift(head)
      return onProxy?.(route)
    }
    if (head.length > 0) remote.write(head)
    if (isClientFirst && head.length === 0) pipeAfterRequest(socket, remote)
    else pipeSockets(socket, remote)
  } catch (error) {
    if (socket.destroyed) return
    connector.noteFailure(error, target)
    onFail(error)
  }
}

/** Time to wait for a client that may have connected in advance, in milliseconds. */
const requestTimeoutMs = 1000

/** Pipes two sockets into each other once the first one has sent something or ended. */
function pipeAfterRequest(socket: Socket, remote: Socket): void {
  const start = (): void => {
    clearTimeout(timer)
    socket.off('readable', start).off('close', start)
    if (remote.errored !== null && !socket.destroyed) socket.resetAndDestroy()
    else pipeSockets(socket, remote)
  }
  const timer = setTimeout(start, requestTimeoutMs)
  socket.once('readable', start).once('close', start)
}
