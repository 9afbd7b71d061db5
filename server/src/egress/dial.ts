import { connect, type Socket } from 'node:net'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { CheckedTarget } from './check-target.ts'
import type { HostPort } from './host-port.ts'
import { netErrorOfConnect } from './net-errors.ts'

/** Delay before the next address is tried in parallel, in milliseconds (RFC 8305). */
const attemptDelayMs = 250

/**
 * Connects to the checked addresses without resolving the name again. Throws EGRESS_FAILED or the
 * signal's reason.
 */
export async function dial(target: CheckedTarget, signal?: AbortSignal): Promise<Socket> {
  signal?.throwIfAborted()
  const [first = ''] = target.addresses
  const addresses = target.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const socket = connect({
    port: target.port,
    noDelay: true,
    keepAlive: true,
    allowHalfOpen: true,
    ...(addresses.length === 1
      ? { host: first }
      : {
          host: target.host,
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: attemptDelayMs,
          lookup: (_host, _options, done) => done(null, addresses),
        }),
  })
  return waitForConnect(socket, target, signal)
}

/**
 * Waits until a socket is connected. Destroys it on failure. Throws EGRESS_FAILED or the signal's
 * reason.
 */
export async function waitForConnect(socket: Socket, target: HostPort, signal?: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const onError = (cause: Error): void =>
    reject(
      new BowlineError('EGRESS_FAILED', `${target.host}:${target.port} cannot be reached: ${reasonOf(cause)}`, {
        cause,
        details: { netError: netErrorOfConnect(cause) },
      }),
    )
  const onAbort = (): void => {
    socket.destroy()
    reject(signal?.reason)
  }
  socket.once('connect', () => resolve(socket)).once('error', onError)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await promise
  } finally {
    socket.off('error', onError)
    signal?.removeEventListener('abort', onAbort)
    // Until its next owner adds a listener, an error must not crash the process.
    socket.on('error', () => socket.destroy())
  }
}

function reasonOf(error: Error): string {
  return error instanceof AggregateError && error.message === ''
    ? error.errors.map((each) => messageOf(each)).join('; ')
    : error.message
}
