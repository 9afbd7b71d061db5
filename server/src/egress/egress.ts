import type { Agent } from 'undici'
import { createAddressPolicy } from './address-policy.ts'
import { createConnector, type Connector } from './connector.ts'
import { createEgressDispatcher, type EgressDispatcherOptions } from './fetch.ts'
import type { EgressLog } from './proxy-endpoint.ts'
import { createOwnPorts, type OwnPorts } from './own-ports.ts'
import { createPeerFinder } from './peer.ts'
import { openEgressProxy, type EgressProxy } from './proxy.ts'
import { createResolver, type Resolve } from './resolve.ts'
import type { Upstream } from './upstream.ts'

/** Options of `openEgress`. */
export interface EgressOptions {
  /** What may be reached besides public addresses. Default: nothing. */
  readonly allow?: readonly string[] | undefined
  /** URL (http, https, socks4 or socks5) of the proxy for the route `basic`. Default: none, connections are made directly. */
  readonly proxyBasic?: string | undefined
  /** The same for the route `enhanced`. Default: as `basic`. */
  readonly proxyEnhanced?: string | undefined
  /** The PostgreSQL of the server, which no page may connect to. */
  readonly databaseUrl?: string | undefined
  /** How names are resolved. Default: by the system. */
  readonly resolve?: Resolve | undefined
  readonly log: EgressLog
}

/** The one way out of the server, for browsers and for its own requests. */
export interface Egress extends EgressProxy {
  /** Makes a dispatcher for the server's own requests, which the caller closes. */
  readonly createDispatcher: (options?: EgressDispatcherOptions) => Agent
  readonly connector: Connector
  readonly ownPorts: OwnPorts
  /** Whether the machine tells which user connects to a lane. */
  readonly isPeerChecked: boolean
}

/** Opens the way out. Throws CONFIG_INVALID when an entry of `allow` cannot be read. */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const { log } = options
  const ownPorts = createOwnPorts()
  const policy = createAddressPolicy({ allow: options.allow, ownPorts })
  const resolve = createResolver(options.resolve)
  const connector = createConnector({
    policy,
    resolve,
    basic: upstreamOf('basic', options.proxyBasic),
    enhanced: upstreamOf('enhanced', options.proxyEnhanced),
  })
  await guardDatabase(options, ownPorts, resolve)
  const findPeer = await createPeerFinder()
  if (findPeer === undefined) log.warn({}, 'this machine does not tell which user connects to the egress proxy')
  const proxy = openEgressProxy({ connector, ownPorts, findPeer, log })
  return {
    ...proxy,
    connector,
    ownPorts,
    isPeerChecked: findPeer !== undefined,
    createDispatcher: (dispatcherOptions) => createEgressDispatcher(connector, dispatcherOptions),
  }
}

function upstreamOf(name: Upstream['name'], url: string | undefined): Upstream | undefined {
  return url === undefined ? undefined : { name, url: new URL(url) }
}

async function guardDatabase({ databaseUrl, log }: EgressOptions, ownPorts: OwnPorts, resolve: Resolve): Promise<void> {
  if (databaseUrl === undefined || !URL.canParse(databaseUrl)) return
  const { hostname, port } = new URL(databaseUrl)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = await resolve(host === '' ? 'localhost' : host).catch((error: unknown) => {
    log.warn({ err: error }, 'the host of the database does not resolve, so its port is guarded on this machine only')
    return []
  })
  ownPorts.guard(Number(port || 5432), addresses)
}
