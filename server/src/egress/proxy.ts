/**
 * Egress proxy. How a connection of a browser reaches the network:
 *
 *     browser -> proxy endpoint -> SOCKS5 (socks.ts), HTTP CONNECT (tunnel.ts), or plain http
 *             requests (forward-request.ts), which HTTP proxies of sessions get over SOCKS too
 *             -> connectorOf (proxy.ts) -> BrowserConnector (browser-connector.ts)
 *             -> connector: checks the target against the address policy (check-target.ts)
 *             -> dial.ts (direct) or upstream.ts (through an upstream proxy) -> target
 *
 * @module
 */
import type { Socket } from 'node:net'
import { BowlineError } from 'bowline/kit/errors'
import {
  openProxyEndpoint,
  type ProxyEndpoint,
  type ProxyEndpointOptions,
  type ProxyEndpointDeps,
  type EndpointConnection,
} from './proxy-endpoint.ts'
import type { Traffic } from './endpoint-traffic.ts'
import type { EndpointConnector } from './endpoint-connector.ts'
import { RequestForwarder } from './forward-request.ts'
import { serveSocks, socksVersion } from './socks.ts'

/** A forward proxy with one endpoint per browser. Disposing closes all endpoints. */
export interface EgressProxy extends AsyncDisposable {
  readonly openProxyEndpoint: (options?: ProxyEndpointOptions) => Promise<ProxyEndpoint>
  /** Traffic of all endpoints since the start. */
  readonly traffic: () => Traffic
}

/** Dependencies of `openEgressProxy`. */
export type ProxyDeps = Omit<ProxyEndpointDeps, 'accept'>

/** Creates the proxy. It listens only on its endpoints. */
export function openEgressProxy(deps: ProxyDeps): EgressProxy {
  const endpoints = new Set<ProxyEndpoint>()
  let past: Traffic = { sentBytes: 0, receivedBytes: 0, connections: 0, refused: 0 }
  return {
    openProxyEndpoint: async (options = {}) => {
      const endpoint = await openProxyEndpoint({ ...deps, accept }, options)
      endpoints.add(endpoint)
      return {
        ...endpoint,
        [Symbol.asyncDispose]: async () => {
          await endpoint[Symbol.asyncDispose]()
          if (endpoints.delete(endpoint)) past = add(past, endpoint.traffic())
        },
      }
    },
    traffic: () => [...endpoints].reduce((sum, endpoint) => add(sum, endpoint.traffic()), past),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...endpoints].map(async (endpoint) => endpoint[Symbol.asyncDispose]()))
    },
  }
}

function add(left: Traffic, right: Traffic): Traffic {
  return {
    sentBytes: left.sentBytes + right.sentBytes,
    receivedBytes: left.receivedBytes + right.receivedBytes,
    connections: left.connections + right.connections,
    refused: left.refused + right.refused,
  }
}

/** Distinguishes SOCKS5 from HTTP by the first byte. */
function accept(socket: Socket, connection: EndpointConnection): void {
  const connector = connectorOf(connection)
  const onEnd = (): void => void socket.destroy()
  socket.once('end', onEnd)
  socket.once('data', (start: Buffer) => {
    socket.off('end', onEnd).pause()
    if (start[0] === socksVersion) return serveSocks(connector, socket, start)
    socket.unshift(start)
    void new RequestForwarder(connector, socket).run()
  })
  socket.resume()
}

/**
 * Checks the user of a connection, which takes some milliseconds, while connecting to the target.
 * No data is sent before the check has passed.
 */
function connectorOf({ endpoint, isAdmitted }: EndpointConnection): EndpointConnector {
  return {
    asksForCredentials: endpoint.asksForCredentials,
    noteFailure: endpoint.noteFailure,
    connect: async (target, options) => admit(endpoint.connect(target, options), (socket) => socket, isAdmitted),
    connectHttp: async (target, options) =>
      admit(endpoint.connectHttp(target, options), ({ socket }) => socket, isAdmitted),
  }
}

async function admit<Result>(
  connecting: Promise<Result>,
  socketOf: (result: Result) => Socket,
  isAdmitted: Promise<boolean>,
): Promise<Result> {
  const [result] = await Promise.allSettled([connecting, isAdmitted])
  if (result.status === 'rejected') throw result.reason
  if (await isAdmitted) return result.value
  socketOf(result.value).destroy()
  throw new BowlineError('EGRESS_REFUSED', 'This proxy endpoint belongs to another user')
}
