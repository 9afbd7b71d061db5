import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { BowlineError } from 'bowline/kit/errors'
import {
  openProxyEndpoint,
  type ProxyEndpoint,
  type ProxyEndpointOptions,
  type ProxyEndpointDeps,
  type Arrival,
  type Traffic,
} from './proxy-endpoint.ts'
import type { ProxyEndpointContext } from './proxy-endpoint-context.ts'
import { serveSocks, socksVersion } from './socks.ts'
import { badRequest, serveTunnel } from './tunnel.ts'

/** A forward proxy with a lane for each browser. Disposing closes all lanes. */
export interface EgressProxy extends AsyncDisposable {
  readonly openProxyEndpoint: (options?: ProxyEndpointOptions) => Promise<ProxyEndpoint>
  /** Everything since the start, of all lanes together. */
  readonly traffic: () => Traffic
}

/** What the proxy is made from. */
export type ProxyDeps = Omit<ProxyEndpointDeps, 'accept'>

/** The longest head of a CONNECT request. */
const maxHeaderBytes = 256 * 1024

/** Makes the proxy. It listens only by its lanes. */
export function openEgressProxy(deps: ProxyDeps): EgressProxy {
  const accept = createAcceptor()
  const lanes = new Set<ProxyEndpoint>()
  let past: Traffic = { sentBytes: 0, receivedBytes: 0, connections: 0, refused: 0 }
  return {
    openProxyEndpoint: async (options = {}) => {
      const endpoint = await openProxyEndpoint({ ...deps, accept }, options)
      lanes.add(endpoint)
      return {
        ...endpoint,
        [Symbol.asyncDispose]: async () => {
          await endpoint[Symbol.asyncDispose]()
          if (lanes.delete(endpoint)) past = add(past, endpoint.traffic())
        },
      }
    },
    traffic: () => [...lanes].reduce((sum, endpoint) => add(sum, endpoint.traffic()), past),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...lanes].map(async (endpoint) => endpoint[Symbol.asyncDispose]()))
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

/** Tells SOCKS5 from HTTP by the first byte. */
function createAcceptor(): ProxyEndpointDeps['accept'] {
  const arrivals = new WeakMap<object, Arrival>()
  const http = createHttp(arrivals)
  return (socket, arrival) => {
    const onEnd = (): void => void socket.destroy()
    socket.once('end', onEnd)
    socket.once('data', (start: Buffer) => {
      socket.off('end', onEnd)
      if (start[0] === socksVersion) return serveSocks(contextOf(arrival), socket.pause(), start)
      arrivals.set(socket, arrival)
      socket.pause().unshift(start)
      http.emit('connection', socket)
      socket.resume()
    })
    socket.resume()
  }
}

/** One HTTP server for the CONNECT requests of all lanes. It listens on no port itself. */
function createHttp(arrivals: WeakMap<object, Arrival>): Server {
  const server = createServer({ maxHeaderSize: maxHeaderBytes, insecureHTTPParser: true })
  server.on('connect', (request, socket, head: Buffer) => {
    const arrival = arrivals.get(socket)
    if (arrival === undefined) socket.destroy()
    else serveTunnel(contextOf(arrival), socket as Socket, request.url ?? '', head)
  })
  server.on('request', ({ socket }) => socket.end(badRequest, () => socket.destroy()))
  server.on('clientError', (_error, socket) => {
    socket.destroy()
  })
  return server
}

/** Finding out who asks takes the kernel some milliseconds. Meanwhile the connection is made, but nothing goes over it. */
function contextOf({ endpoint, isAdmitted }: Arrival): ProxyEndpointContext {
  return {
    note: endpoint.note,
    connect: async (target, signal) => {
      const connecting = endpoint.connect(target, signal)
      const [result] = await Promise.allSettled([connecting, isAdmitted])
      if (result.status === 'rejected') throw result.reason
      if (await isAdmitted) return result.value
      result.value.destroy()
      throw new BowlineError('EGRESS_REFUSED', 'This lane belongs to another user')
    },
  }
}
