import type { Agent } from 'undici'
import { createAddressPolicy } from './address-policy.ts'
import { createConnector, type Connector, type ConnectTimeouts } from './connector.ts'
import { createEgressDispatcher, type EgressDispatcherOptions } from './create-dispatcher.ts'
import type { EgressLog } from './egress-log.ts'
import { createOwnPorts, type OwnPorts } from './own-ports.ts'
import { createOwnerFinder } from './connection-owner.ts'
import { openEgressProxy, type EgressProxy } from './proxy.ts'
import { createResolver, type Resolve } from './resolve.ts'
import type { Upstream } from './upstream.ts'

/** Settings of the egress. */
export interface EgressSettings {
  /** Addresses and hosts allowed in addition to public addresses. Default: none. */
  readonly allow?: readonly string[] | undefined
  /**
   * URL (http, https, socks4 or socks5) of the upstream proxy `basic`. Default: none,
   * direct connections.
   */
  readonly proxyBasic?: string | undefined
  /** URL of the upstream proxy `enhanced`. Default: as `basic`. */
  readonly proxyEnhanced?: string | undefined
  /** Addresses of the server's PostgreSQL, which pages may not connect to. Default: none. */
  readonly databases?: readonly { readonly host: string; readonly port: number }[] | undefined
}

/** Options of `openEgress`. */
export interface EgressOptions extends EgressSettings, ConnectTimeouts {
  /** Resolves host names. Default: the system resolver. */
  readonly resolve?: Resolve | undefined
  readonly log: EgressLog
}

/** All outgoing connections of browsers and of the server itself go through here. */
export interface Egress extends EgressProxy {
  /** Creates an undici dispatcher for the server's own requests. The caller closes it. */
  readonly createDispatcher: (options?: EgressDispatcherOptions) => Agent
  readonly connector: Connector
  readonly ownPorts: OwnPorts
  /** Whether this machine shows which user connects to a proxy endpoint. */
  readonly isOwnerChecked: boolean
}

/** Opens the egress proxy. Throws CONFIG_INVALID if an entry of `allow` is malformed. */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const { log, connectTimeoutMs, slowConnectTimeoutMs } = options
  const ownPorts = createOwnPorts()
  const policy = createAddressPolicy({ allow: options.allow, ownPorts })
  const closing = new AbortController()
  const resolve = createResolver(options.resolve, { closed: closing.signal })
  const connector = createConnector({
    policy,
    resolve,
    basic: upstreamOf('basic', options.proxyBasic),
    enhanced: upstreamOf('enhanced', options.proxyEnhanced),
    connectTimeoutMs,
    slowConnectTimeoutMs,
  })
  await guardDatabases(options, ownPorts, resolve)
  const findOwner = await createOwnerFinder()
  if (findOwner === undefined) log.warn({}, 'cannot determine which user connects to the egress proxy on this machine')
  const proxy = openEgressProxy({ connector, ownPorts, findOwner, log })
  return {
    ...proxy,
    connector,
    ownPorts,
    isOwnerChecked: findOwner !== undefined,
    createDispatcher: (dispatcherOptions) => createEgressDispatcher(connector, dispatcherOptions),
    [Symbol.asyncDispose]: async () => {
      closing.abort(new Error('The server has stopped'))
      await proxy[Symbol.asyncDispose]()
    },
  }
}

function upstreamOf(name: Upstream['name'], url: string | undefined): Upstream | undefined {
  return url === undefined ? undefined : { name, url: new URL(url) }
}

async function guardDatabases(
  { databases = [], log }: EgressOptions,
  ownPorts: OwnPorts,
  resolve: Resolve,
): Promise<void> {
  for (const { host, port } of databases) {
    const addresses = await resolve(host).catch((error: unknown) => {
      log.warn({ err: error }, 'the database host does not resolve: its port is blocked on this machine only')
      return []
    })
    ownPorts.block(port, addresses)
  }
}
