import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { splice } from '../../kit/splice.ts'
import type { Target } from './allow-list.ts'
import type { LaneContext } from './lane-context.ts'
import { explainFailure, rawAnswer } from './refusal.ts'

/** A connection that leaves HTTP: where it goes, and what is said before its bytes flow. */
export interface Joining {
  readonly target: Target
  readonly greet: (remote: Socket) => void
}

/** Connects a socket of a lane to the judged target that `read` finds in its request, or answers why there is none. */
export const joinTarget = async (
  context: LaneContext,
  socket: Duplex,
  head: Buffer,
  read: () => Joining,
): Promise<void> => {
  const gone = new AbortController()
  const onClose = (): void => gone.abort()
  socket.on('error', () => socket.destroy()).once('close', onClose)
  let joining: Joining | undefined
  try {
    joining = read()
    const remote = await context.connect(joining.target, gone.signal)
    socket.off('close', onClose)
    joining.greet(remote)
    if (head.length > 0) remote.write(head)
    splice(socket, remote)
  } catch (error) {
    if (socket.destroyed) return
    context.note(error, joining?.target)
    socket.end(rawAnswer(explainFailure(error, 'text')), () => socket.destroy())
  }
}
