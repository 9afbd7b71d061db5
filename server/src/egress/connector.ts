import type { Socket } from 'node:net'
import { signalWithTimeout } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { AddressPolicy } from './address-policy.ts'
import type { Target } from './allow-list.ts'
import { dial, judgeTarget, type JudgedTarget } from './dial.ts'
import type { NetError } from './net-errors.ts'
import type { Resolve } from './resolve.ts'
import { tunnelThrough, type Upstream } from './upstream.ts'

/**
 * Which way out is taken. `basic`: the basic upstream proxy, or none when none is configured. `enhanced`: the enhanced one,
 * or as `basic` when there is none. `auto`: as `basic`, and as `enhanced` for a target that cannot be reached so.
 */
export type Route = 'basic' | 'enhanced' | 'auto'

/** What connections are judged and made by. */
export interface ConnectorDeps {
  readonly policy: AddressPolicy
  readonly resolve: Resolve
  readonly basic?: Upstream | undefined
  readonly enhanced?: Upstream | undefined
  /** Milliseconds for resolving and connecting. Default 25,000. */
  readonly connectTimeoutMs?: number | undefined
}

/** Makes judged connections. */
export interface Connector {
  /** Connects to a target by a route. Throws EGRESS_REFUSED, EGRESS_FAILED or the signal's reason. */
  readonly connect: (target: Target, route: Route, signal?: AbortSignal) => Promise<Socket>
  /** Whether a connection goes to the target itself, not to an upstream proxy. */
  readonly isDirect: (socket: Socket) => boolean
  /** Whether connections to a target by a route go through an upstream proxy. Throws as `connect`. */
  readonly usesUpstream: (target: Target, route: Route, signal: AbortSignal) => Promise<boolean>
}

/** Chromium itself waits 30 s for a proxy and would then report `ERR_TIMED_OUT` or `ERR_CONNECTION_TIMED_OUT`, as it happens. */
const defaultConnectTimeoutMs = 25_000

/**
 * Makes a connector. An upstream proxy resolves names by itself, so a name is judged by what it resolves to here; one that
 * resolves nowhere here is left to the upstream. Targets opened by `--allow` are near: no upstream is asked for them.
 */
export function createConnector(deps: ConnectorDeps): Connector {
  const indirect = new WeakSet<Socket>()
  return {
    isDirect: (socket) => !indirect.has(socket),
    usesUpstream: async (target, route, signal) => {
      const upstreams = upstreamsOf(deps, route)
      if (upstreams.every((way) => way === undefined)) return false
      return (await judge(deps, target, upstreams, signal)).kind !== 'allowed'
    },
    connect: async (target, route, signal) => {
      const timeoutMs = deps.connectTimeoutMs ?? defaultConnectTimeoutMs
      const limited = signalWithTimeout(signal, timeoutMs) ?? AbortSignal.timeout(timeoutMs)
      try {
        const upstreams = upstreamsOf(deps, route)
        const judged = await judge(deps, target, upstreams, limited)
        const ways = judged.kind === 'allowed' ? [undefined] : upstreams
        return await connectBy(ways, { judged, indirect }, limited)
      } catch (error) {
        signal?.throwIfAborted()
        if (!limited.aborted) throw error
        throw new BowlineError(
          'EGRESS_FAILED',
          `${target.host}:${target.port} did not answer within ${timeoutMs / 1000} s`,
          { cause: error, details: { netError: 'ERR_CONNECTION_TIMED_OUT' satisfies NetError } },
        )
      }
    },
  }
}

type Way = Upstream | undefined

function upstreamsOf({ basic, enhanced }: ConnectorDeps, route: Route): readonly Way[] {
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

async function judge(
  deps: ConnectorDeps,
  target: Target,
  ways: readonly Way[],
  signal: AbortSignal,
): Promise<JudgedTarget> {
  try {
    return await judgeTarget(deps, target, signal)
  } catch (error) {
    const isUnknownHere = isBowlineError(error) && error.code === 'EGRESS_FAILED'
    if (!isUnknownHere || !ways.some((way) => way !== undefined)) throw error
    return { ...target, addresses: [], kind: 'unresolved' }
  }
}

async function connectBy(
  ways: readonly Way[],
  { judged, indirect }: { readonly judged: JudgedTarget; readonly indirect: WeakSet<Socket> },
  signal: AbortSignal,
): Promise<Socket> {
  const usable = ways.filter((way) => way !== undefined || judged.kind !== 'unresolved')
  for (const [index, way] of usable.entries()) {
    try {
      if (way === undefined) return await dial(judged, signal)
      const socket = await tunnelThrough(way, judged, signal)
      indirect.add(socket)
      return socket
    } catch (error) {
      signal.throwIfAborted()
      if (index === usable.length - 1) throw error
    }
  }
  throw new BowlineError('EGRESS_FAILED', `There is no way to ${judged.host}:${judged.port}`)
}
