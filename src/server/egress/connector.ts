import type { Socket } from 'node:net'
import { signalWithTimeout } from '../../kit/abort.ts'
import { BowlineError, isBowlineError } from '../../kit/errors.ts'
import type { AddressPolicy } from './address-policy.ts'
import type { Target } from './allow-list.ts'
import { dial, judgeTarget, type JudgedTarget } from './dial.ts'
import type { Resolve } from './resolve.ts'
import { tunnelThrough, type Upstream } from './upstream.ts'

/**
 * Which way out is taken. `basic`: the basic upstream proxy, or none when none is configured. `enhanced`: the enhanced one,
 * or as `basic` when there is none. `auto`: as `basic`, and as `enhanced` for a target that cannot be reached so.
 */
export type Route = 'basic' | 'enhanced' | 'auto'

/** What connections are judged and made by. */
export interface ConnectorParts {
  readonly policy: AddressPolicy
  readonly resolve: Resolve
  readonly basic?: Upstream | undefined
  readonly enhanced?: Upstream | undefined
  /** Milliseconds for resolving and connecting. Default 30,000. */
  readonly connectTimeoutMs?: number | undefined
}

/** Makes judged connections. */
export interface Connector {
  /** Connects to a target by a route. Throws EGRESS_REFUSED, EGRESS_FAILED or the signal's reason. */
  readonly connect: (target: Target, route: Route, signal?: AbortSignal) => Promise<Socket>
}

const defaultConnectTimeoutMs = 30_000

/**
 * Makes a connector. An upstream proxy resolves names by itself, so a name is judged by what it resolves to here; one that
 * resolves nowhere here is left to the upstream. Targets opened by `--allow` are near: no upstream is asked for them.
 */
export const createConnector = (parts: ConnectorParts): Connector => ({
  connect: async (target, route, signal) => {
    const timeoutMs = parts.connectTimeoutMs ?? defaultConnectTimeoutMs
    const limited = signalWithTimeout(signal, timeoutMs) ?? AbortSignal.timeout(timeoutMs)
    try {
      const upstreams = upstreamsOf(parts, route)
      const judged = await judge(parts, target, upstreams, limited)
      return await connectBy(judged.kind === 'allowed' ? [undefined] : upstreams, judged, limited)
    } catch (error) {
      signal?.throwIfAborted()
      if (!limited.aborted) throw error
      throw new BowlineError(
        'EGRESS_FAILED',
        `${target.host}:${target.port} did not answer within ${timeoutMs / 1000} s`,
        { cause: error },
      )
    }
  },
})

type Way = Upstream | undefined

const upstreamsOf = ({ basic, enhanced }: ConnectorParts, route: Route): readonly Way[] => {
  switch (route) {
    case 'basic':
      return [basic]
    case 'enhanced':
      return [enhanced ?? basic]
    case 'auto':
      return enhanced === undefined ? [basic] : [basic, enhanced]
    default:
      return route satisfies never
  }
}

const judge = async (
  parts: ConnectorParts,
  target: Target,
  ways: readonly Way[],
  signal: AbortSignal,
): Promise<JudgedTarget> => {
  try {
    return await judgeTarget(parts, target, signal)
  } catch (error) {
    const isUnknownHere = isBowlineError(error) && error.code === 'EGRESS_FAILED'
    if (!isUnknownHere || !ways.some((way) => way !== undefined)) throw error
    return { ...target, addresses: [], kind: 'unresolved' }
  }
}

const connectBy = async (ways: readonly Way[], judged: JudgedTarget, signal: AbortSignal): Promise<Socket> => {
  const usable = ways.filter((way) => way !== undefined || judged.kind !== 'unresolved')
  for (const [index, way] of usable.entries()) {
    try {
      return way === undefined ? await dial(judged, signal) : await tunnelThrough(way, judged, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (index === usable.length - 1) throw error
    }
  }
  throw new BowlineError('EGRESS_FAILED', `There is no way to ${judged.host}:${judged.port}`)
}
