import type { Socket } from 'node:net'
import { pipeSockets } from '../kit/pipe-sockets.ts'
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
  /** Sends the client an error response. */
  readonly onFail: (error: unknown) => void
}

/** Connects a client of a proxy endpoint to a target, if the address policy permits. */
export async function joinTarget(connector: EndpointConnector, socket: Socket, request: JoinRequest): Promise<void> {
  const { target, authorization, head, onJoin, onFail } = request
  const closed = new AbortController()
  const onClose = (): void => closed.abort()
  socket.once('close', onClose)
  try {
    const remote = await connector.connect(target, { authorization, signal: closed.signal })
    socket.off('close', onClose)
    onJoin()
    if (head.length > 0) remote.write(head)
    pipeSockets(socket, remote)
  } catch (error) {
    if (socket.destroyed) return
    connector.noteFailure(error, target)
    onFail(error)
  }
}
