/**
 * Egress proxy. How a connection of a browser reaches the network:
 *
 *     browser -> proxy endpoint -> HTTP CONNECT (tunnel.ts), SOCKS5 (socks.ts), or plain http
 *             requests (forward-request.ts) of contexts whose proxy asks for credentials
 *             -> connectorOf (proxy.ts) -> BrowserConnector (browser-connector.ts)
 *             -> connector: checks the target against the address policy (check-target.ts)
 *             -> dial.ts (direct) or upstream.ts (through an upstream proxy) -> target
 *
 * @module
 */
import { createServer, type Server } from 'node:http'
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
import { badRequest, serveTunnel } from './tunnel.ts'

/** A forward proxy with one endpoint per browser. Disposing closes all endpoints. */
export interface EgressProxy extends AsyncDisposable {
  readonly openProxyEndpoint: (options?: ProxyEndpointOptions) => Promise<ProxyEndpoint>
  /** Traffic of all endpoints since the start. */
  readonly traffic: () => Traffic
}

/** Dependencies of `openEgressProxy`. */
export type ProxyDeps = Omit<ProxyEndpointDeps, 'accept'>

/** Maximum size of the headers of a CONNECT request. */
const maxHeaderBytes = 256 * 1024

/** Creates the proxy. It listens only on its endpoints. */
export function openEgressProxy(deps: ProxyDeps): EgressProxy {
  const accept = createAcceptor()
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
function createAcceptor(): ProxyEndpointDeps['accept'] {
  const connections = new WeakMap<object, EndpointConnection>()
  const http = createHttp(connections)
  return (socket, connection) => {
    const onEnd = (): void => void socket.destroy()
    socket.once('end', onEnd)
    socket.once('data', (start: Buffer) => {
      socket.off('end', onEnd)
      if (start[0] === socksVersion) return serveSocks(connectorOf(connection), socket.pause(), start)
      connections.set(socket, connection)
      socket.pause().unshift(start)
      http.emit('connection', socket)
      socket.resume()
    })
    socket.resume()
  }
}

/**
 * Creates the HTTP server for the requests of all endpoints. It does not listen on a port
 * itself.
 */
function createHttp(connections: WeakMap<object, EndpointConnection>): Server {
  const forwarders = new WeakMap<object, RequestForwarder>()
  // The browser decides how long a connection stays open.
  const server = createServer({ maxHeaderSize: maxHeaderBytes, insecureHTTPParser: true, keepAliveTimeout: 0 })
  server.on('connect', (request, socket, head: Buffer) => {
    const connection = connections.get(socket)
    if (connection === undefined) socket.destroy()
    else serveTunnel(connectorOf(connection), request, head)
  })
  server.on('request', (request, response) => {
    const connection = connections.get(request.socket)
    if (connection === undefined || !connection.endpoint.asksForCredentials) return refuse(request.socket)
    const known = forwarders.get(request.socket)
    const forwarder = known ?? new RequestForwarder(connectorOf(connection), request.socket)
    forwarders.set(request.socket, forwarder)
    forwarder.forward(request, response)
  })
  server.on('clientError', (_error, socket) => {
    socket.destroy()
  })
  return server
}

function refuse(socket: Socket): void {
  socket.end(badRequest, () => socket.destroy())
}

/**
 * Checks the user of a connection, which takes some milliseconds, while connecting to the target.
 * No data is sent before the check has passed.
 */
function connectorOf({ endpoint, isAdmitted }: EndpointConnection): EndpointConnector {
  return {
    asksForCredentials: endpoint.asksForCredentials,
    noteFailure: endpoint.noteFailure,
    connect: async (target, options) => {
      const connecting = endpoint.connect(target, options)
      const [result] = await Promise.allSettled([connecting, isAdmitted])
      if (result.status === 'rejected') throw result.reason
      if (await isAdmitted) return result.value
      result.value.destroy()
      throw new BowlineError('EGRESS_REFUSED', 'This proxy endpoint belongs to another user')
    },
  }
}
