import type { Socket } from 'node:net'
import { pipeSockets } from '../kit/pipe-sockets.ts'
import type { Target } from './allow-list.ts'
import type { ProxyEndpointContext } from './proxy-endpoint-context.ts'

/** What a client of a lane asked for. */
export interface Joining {
  readonly target: Target
  /** What it has sent behind its request. */
  readonly head: Buffer
  /** Tells the client that it is connected. */
  readonly onJoin: () => void
  /** Tells the client why it is not. */
  readonly onFail: (error: unknown) => void
}

/** Connects a socket of a lane to a target that the policy allows. */
export async function joinTarget(context: ProxyEndpointContext, socket: Socket, joining: Joining): Promise<void> {
  const { target, head, onJoin, onFail } = joining
  const gone = new AbortController()
  const onClose = (): void => gone.abort()
  socket.once('close', onClose)
  try {
    const remote = await context.connect(target, gone.signal)
    socket.off('close', onClose)
    onJoin()
    if (head.length > 0) remote.write(head)
    pipeSockets(socket, remote)
  } catch (error) {
    if (socket.destroyed) return
    context.note(error, target)
    onFail(error)
  }
}
