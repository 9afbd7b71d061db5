import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { FrameError } from '../kit/frame-error.ts'
import type { MessageReservation } from '../kit/message-memory.ts'
import { UnfinishedMessage } from '../kit/unfinished-message.ts'

/** Time for the client to end the connection after the close frame, in milliseconds. */
const endTimeoutMs = 2000

/** Bytes of the frame of a small ping or pong in addition to its payload. */
const frameBytes = 6

/**
 * Counts the bytes of a message that a viewer has not completed yet. Closes the connection if there
 * is no room for them, or if the message is too slow.
 */
export function limitMessages(webSocket: WebSocket, socket: Socket, held: MessageReservation): void {
  // `ws` does not report how much of a message has arrived.
  let completeBytes = socket.bytesRead
  const isPaused = (): boolean => socket.isPaused()
  const fail = (error: FrameError): void => {
    unfinished[Symbol.dispose]()
    socket.off('data', count)
    webSocket.close(error.closeCode, error.message)
    setTimeout(() => webSocket.terminate(), endTimeoutMs).unref()
  }
  const unfinished = new UnfinishedMessage({ held, isPaused, onStalled: fail })
  const count = (): void => {
    try {
      unfinished.update(socket.bytesRead - completeBytes)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      fail(error)
    }
  }
  const onControl = (payload: Buffer): void => {
    completeBytes += frameBytes + payload.length
  }
  webSocket.on('message', () => {
    completeBytes = socket.bytesRead
    unfinished.complete()
  })
  webSocket.on('ping', onControl).on('pong', onControl)
  webSocket.once('close', () => unfinished[Symbol.dispose]())
  socket.on('data', count)
}
