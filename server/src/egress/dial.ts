import { connect, type Socket, isIP } from 'node:net'
import { BowlineError } from 'bowline/kit/errors'
import type { AddressPolicy } from './address-policy.ts'
import type { Target } from './allow-list.ts'
import { netErrorOfConnect, type NetError } from './net-errors.ts'
import type { Resolve } from './resolve.ts'

/** A target with the addresses that may be connected to. */
export interface JudgedTarget extends Target {
  /** Never empty, except for a name that only an upstream proxy can resolve. */
  readonly addresses: readonly string[]
  /** `allowed`: permitted by `--allow`, so it is local and no upstream proxy is used. */
  readonly kind: 'public' | 'allowed' | 'unresolved'
}

/** Delay before the next address is tried in parallel, in milliseconds (RFC 8305). */
const attemptDelayMs = 250

/**
 * Resolves a target once and checks every address. Throws EGRESS_REFUSED if the policy permits none
 * of them, EGRESS_FAILED if the name does not resolve.
 */
export async function judgeTarget(
  { policy, resolve }: { readonly policy: AddressPolicy; readonly resolve: Resolve },
  target: Target,
  signal?: AbortSignal,
): Promise<JudgedTarget> {
  const verdicts = (await addressesOf(resolve, target, signal)).map((address) => policy.judge(address, target))
  const kind = verdicts.some((verdict) => verdict.kind === 'allowed') ? 'allowed' : 'public'
  const addresses = verdicts.filter((verdict) => verdict.kind !== 'refused').map(({ address }) => address)
  if (addresses.length > 0) return { ...target, addresses, kind }
  const refused = verdicts.find((verdict) => verdict.kind === 'refused')
  // The resolved address is not revealed: otherwise pages could query the internal name server.
  const isName = refused !== undefined && isIP(target.host) === 0 && refused.hint === undefined
  const reason = isName ? 'the address is not public' : (refused?.reason ?? 'the name has no address')
  throw new BowlineError('EGRESS_REFUSED', `${target.host}:${target.port} is refused: ${reason}`, {
    hint: refused?.hint,
  })
}

async function addressesOf(resolve: Resolve, target: Target, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    return await resolve(target.host, signal)
  } catch (cause) {
    signal?.throwIfAborted()
    throw new BowlineError('EGRESS_FAILED', `${target.host} does not resolve`, {
      cause,
      details: { netError: 'ERR_NAME_NOT_RESOLVED' satisfies NetError },
    })
  }
}

/**
 * Connects to the checked addresses without resolving the name again. Throws EGRESS_FAILED or the
 * signal's reason.
 */
export async function dial(target: JudgedTarget, signal?: AbortSignal): Promise<Socket> {
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
export async function waitForConnect(socket: Socket, target: Target, signal?: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const onError = (cause: Error): void =>
    reject(
      new BowlineError('EGRESS_FAILED', `${target.host}:${target.port} cannot be reached: ${messageOf(cause)}`, {
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

function messageOf(error: Error): string {
  return error instanceof AggregateError && error.message === ''
    ? error.errors.map((each) => (Error.isError(each) ? each.message : String(each))).join('; ')
    : error.message
}
