import type { Socket } from 'node:net'
import type { SessionProxy } from 'bowline/contract/session-network'
import { signalWithTimeout } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { AddressPolicy } from './address-policy.ts'
import { hostPortOf, type HostPort } from './host-port.ts'
import { checkOrLeaveUnresolved, checkTarget, type CheckedTarget } from './check-target.ts'
import { dial } from './dial.ts'
import type { NetError } from './net-errors.ts'
import type { Resolve } from './resolve.ts'
import { connectToProxy, isRequestProxy, proxyAuthorization, tunnelThrough, type Upstream } from './upstream.ts'

/**
 * Which upstream proxy is used. `basic`: the basic one, or none if none is configured. `enhanced`:
 * the enhanced one, else as `basic`. `fallback`: as `basic`, then as `enhanced` if the target
 * cannot be reached.
 */
export type UpstreamChoice = 'basic' | 'enhanced' | 'fallback'

/** Dependencies of `createConnector`. */
export interface ConnectorDeps extends ConnectTimeouts {
  readonly policy: AddressPolicy
  readonly resolve: Resolve
  readonly basic?: Upstream | undefined
  readonly enhanced?: Upstream | undefined
}

/** Time limits of resolving and connecting, in milliseconds. */
export interface ConnectTimeouts {
  /**
   * Of connections without `onSlow`. Default: 25000, below the 30 s that Chromium waits for a
   * proxy, after which it reports either `ERR_TIMED_OUT` or `ERR_CONNECTION_TIMED_OUT`.
   */
  readonly connectTimeoutMs?: number | undefined
  /** Of connections with `onSlow`. Default: 240000, the limit of Chromium without a proxy. */
  readonly slowConnectTimeoutMs?: number | undefined
}

/** Options of `Connector.connect`. */
export interface ConnectOptions {
  readonly signal?: AbortSignal | undefined
  /**
   * Called after `connectTimeoutMs`. The connection then has until `slowConnectTimeoutMs`. Default:
   * it fails.
   */
  readonly onSlow?: (() => void) | undefined
}

/** A connection for the plain http requests to a target. */
export interface HttpRoute {
  readonly socket: Socket
  /** The HTTP proxy at its end, which gets requests with whole URLs. Default: the target itself. */
  readonly proxy?: { readonly authorization: string | undefined } | undefined
}

/** Opens connections that the address policy permits. */
export interface Connector {
  /** Connects to a target. Throws EGRESS_REFUSED, EGRESS_FAILED or the signal's reason. */
  readonly connect: (target: HostPort, choice: UpstreamChoice | Upstream, options?: ConnectOptions) => Promise<Socket>
  /**
   * Connects like `connect`, but for plain http requests. They go to an HTTP proxy of a session,
   * without a tunnel.
   */
  readonly connectHttp: (
    target: HostPort,
    choice: UpstreamChoice | Upstream,
    options?: ConnectOptions,
  ) => Promise<HttpRoute>
  /**
   * Checks the proxy of a session, which was not chosen by the operator: its address must be
   * permitted as that of any target. Throws EGRESS_REFUSED or EGRESS_FAILED.
   */
  readonly openSessionProxy: (proxy: SessionProxy) => Promise<Upstream>
  /**
   * Throws EGRESS_REFUSED if the address policy refuses the host of a URL. A name that does not
   * resolve at present passes: `connect` checks again.
   */
  readonly assertPermitted: (url: URL, signal?: AbortSignal) => Promise<void>
  /** Whether a connection goes directly to the target, without an upstream proxy. */
  readonly isDirect: (socket: Socket) => boolean
  /** Whether connections to a target go through an upstream proxy. Throws as `connect` does. */
  readonly usesUpstream: (target: HostPort, choice: UpstreamChoice, signal: AbortSignal) => Promise<boolean>
}

/**
 * Creates a connector. Targets that `--allow` permits are local and connected to directly, without
 * an upstream proxy.
 */
export function createConnector(deps: ConnectorDeps): Connector {
  const indirect = new WeakSet<Socket>()
  return {
    isDirect: (socket) => !indirect.has(socket),
    usesUpstream: async (target, choice, signal) => {
      const upstreams = upstreamsOf(deps, choice)
      if (upstreams.every((upstream) => upstream === undefined)) return false
      return (await checkOrLeaveUnresolved(deps, target, upstreams, signal)).kind !== 'allowed'
    },
    assertPermitted: async (url, signal) => {
      try {
        await checkTarget(deps, hostPortOf(url), signal)
      } catch (error) {
        if (!isBowlineError(error) || error.code !== 'EGRESS_FAILED') throw error
      }
    },
    openSessionProxy: async ({ server, username = '', password = '' }) => {
      const url = Object.assign(new URL(server), {
        username: encodeURIComponent(username),
        password: encodeURIComponent(password),
      })
      const target = hostPortOf(url)
      await checkTarget(deps, target)
      // Checked again for each connection, because its name may resolve to another address.
      return { name: 'session', url, dial: async (limit) => dial(await checkTarget(deps, target, limit), limit) }
    },
    connect: async (target, choice, options = {}) => {
      const connected = await connectWithin(deps, { target, choice, hasTunnel: true }, options)
      if (connected.isIndirect) indirect.add(connected.socket)
      return connected.socket
    },
    connectHttp: async (target, choice, options = {}) => {
      const { socket, proxy, isIndirect } = await connectWithin(deps, { target, choice, hasTunnel: false }, options)
      if (isIndirect) indirect.add(socket)
      return { socket, proxy }
    },
  }
}

/** A target and how to reach it. */
interface Goal {
  readonly target: HostPort
  readonly choice: UpstreamChoice | Upstream
  /** Whether an HTTP proxy of a session opens a tunnel, instead of getting requests. */
  readonly hasTunnel: boolean
}

interface Connected extends HttpRoute {
  /** Whether the connection goes through an upstream proxy. */
  readonly isIndirect: boolean
}

async function connectWithin(
  deps: ConnectorDeps,
  { target, choice, hasTunnel }: Goal,
  { signal, onSlow }: ConnectOptions,
): Promise<Connected> {
  const { connectTimeoutMs = 25_000, slowConnectTimeoutMs = 240_000 } = deps
  const slow = onSlow && setTimeout(onSlow, connectTimeoutMs)
  const timeoutMs = onSlow === undefined ? connectTimeoutMs : slowConnectTimeoutMs
  const limited = signalWithTimeout(signal, timeoutMs) ?? AbortSignal.timeout(timeoutMs)
  try {
    const upstreams = upstreamsOf(deps, choice)
    const judged = await checkOrLeaveUnresolved(deps, target, upstreams, limited)
    const hops = judged.kind === 'allowed' ? [undefined] : upstreams
    return await connectVia(hops, { judged, hasTunnel }, limited)
  } catch (error) {
    signal?.throwIfAborted()
    if (!limited.aborted) throw error
    throw new BowlineError(
      'EGRESS_FAILED',
      `${target.host}:${target.port} did not respond within ${timeoutMs / 1000} s`,
      { cause: error, details: { netError: 'ERR_CONNECTION_TIMED_OUT' satisfies NetError } },
    )
  } finally {
    clearTimeout(slow)
  }
}

type Hop = Upstream | undefined

function upstreamsOf({ basic, enhanced }: ConnectorDeps, choice: UpstreamChoice | Upstream): readonly Hop[] {
  if (typeof choice === 'object') return [choice]
  switch (choice) {
    case 'basic':
      return [basic]
    case 'enhanced':
      return [enhanced ?? basic]
    case 'fallback':
      return enhanced === undefined ? [basic] : [basic, enhanced]
    default:
      return choice satisfies never
  }
}

async function connectVia(
  hops: readonly Hop[],
  { judged, hasTunnel }: { readonly judged: CheckedTarget; readonly hasTunnel: boolean },
  signal: AbortSignal,
): Promise<Connected> {
  const usable = hops.filter((hop) => hop !== undefined || judged.kind !== 'unresolved')
  for (const [index, hop] of usable.entries()) {
    try {
      if (hop === undefined) return { socket: await dial(judged, signal), isIndirect: false }
      if (hasTunnel || !isRequestProxy(hop)) {
        return { socket: await tunnelThrough(hop, judged, signal), isIndirect: true }
      }
      const authorization = hop.asksForCredentials === true ? undefined : proxyAuthorization(hop.url)
      return { socket: await connectToProxy(hop, judged, signal), proxy: { authorization }, isIndirect: true }
    } catch (error) {
      signal.throwIfAborted()
      if (index === usable.length - 1) throw error
    }
  }
  throw new BowlineError('EGRESS_FAILED', `${judged.host} does not resolve and no upstream proxy is configured`)
}
