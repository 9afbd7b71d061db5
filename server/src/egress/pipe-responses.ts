import type { Socket } from 'node:net'
import { readAfterFailedWrites, reset } from '../kit/pipe-sockets.ts'

/** The responses of one connection. */
export interface PipedResponses {
  /** A request is about to be sent. */
  readonly expect: () => void
  /** Ends the piping and closes the connection. What it sends later is dropped. */
  readonly close: () => void
}

/** Time to wait for a first request on a preconnected socket, in milliseconds. */
const requestTimeoutMs = 1000

/** Start of a response that asks for the credentials of a proxy. */
const challenge = /^HTTP\/1\.[01] 407/
const challengeBytes = 'HTTP/1.1 407'.length

/**
 * Passes on to a browser what a target or a proxy sends, once there is a request for it: Chromium
 * reports another error if a connection ends before. `onChallenge` is called instead of passing on
 * a response 407. Default: it is passed on.
 */
export function pipeResponses(from: Socket, into: Socket, onChallenge?: () => void): PipedResponses {
  /** The start of a response. Undefined if there was enough to know that it is no challenge. */
  let start: Buffer | undefined
  const onData = (chunk: Buffer): void => {
    const bytes = start === undefined ? chunk : Buffer.concat([start, chunk])
    if (onChallenge !== undefined && start !== undefined) {
      start = bytes.length < challengeBytes ? bytes : undefined
      if (start !== undefined) return
      if (challenge.test(bytes.toString('latin1', 0, challengeBytes))) return onChallenge()
    }
    if (!into.write(bytes)) from.pause()
  }
  const onDrain = (): void => void from.resume()
  const onEnd = (): void => {
    if (start !== undefined && start.length > 0) into.write(start)
    into.end()
  }
  const onError = (): void => reset(into)
  const onClose = (): void => {
    if (from.readableEnded) into.end(() => into.destroy())
    else into.destroy()
  }
  const listen = (): void => {
    clearTimeout(timer)
    if (from.listeners('data').includes(onData)) return
    // The connection failed before there was a request.
    if (from.errored !== null) return reset(into)
    if (from.destroyed) return onClose()
    from.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
    into.on('drain', onDrain)
  }
  const timer = setTimeout(listen, requestTimeoutMs)
  readAfterFailedWrites(from)
  return {
    expect: () => {
      start = onChallenge && Buffer.alloc(0)
      listen()
    },
    close: () => {
      clearTimeout(timer)
      from.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      into.off('drain', onDrain)
      from.destroy()
    },
  }
}
