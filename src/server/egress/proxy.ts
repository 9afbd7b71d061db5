import { createServer, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { BowlineError } from '../../kit/errors.ts'
import { forwardRequest, maxHeaderBytes } from './forward.ts'
import { openLane, type Lane, type LaneOptions, type LaneParts, type Arrival, type Traffic } from './lane.ts'
import type { LaneContext } from './lane-context.ts'
import { openTunnel } from './tunnel.ts'
import { forwardUpgrade } from './upgrade.ts'

/** A forward proxy with a lane for each browser. Disposing closes all lanes. */
export interface EgressProxy extends AsyncDisposable {
  readonly openLane: (options?: LaneOptions) => Promise<Lane>
  /** Everything since the start, of all lanes together. */
  readonly traffic: () => Traffic
}

/** What the proxy is made from. */
export type ProxyParts = Omit<LaneParts, 'http' | 'arrivals'>

// Longer than browsers keep a connection that they may use again.
const keepAliveTimeoutMs = 600_000

/** Makes the proxy. It listens only by its lanes. */
export const openEgressProxy = (parts: ProxyParts): EgressProxy => {
  const arrivals = new WeakMap<object, Arrival>()
  const http = createHttp(arrivals)
  const lanes = new Set<Lane>()
  let past: Traffic = { sentBytes: 0, receivedBytes: 0, connections: 0, refused: 0 }
  return {
    openLane: async (options = {}) => {
      const lane = await openLane({ ...parts, http, arrivals }, options)
      lanes.add(lane)
      return {
        ...lane,
        [Symbol.asyncDispose]: async () => {
          await lane[Symbol.asyncDispose]()
          if (lanes.delete(lane)) past = add(past, lane.traffic())
        },
      }
    },
    traffic: () => [...lanes].reduce((sum, lane) => add(sum, lane.traffic()), past),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...lanes].map(async (lane) => lane[Symbol.asyncDispose]()))
    },
  }
}

const add = (left: Traffic, right: Traffic): Traffic => ({
  sentBytes: left.sentBytes + right.sentBytes,
  receivedBytes: left.receivedBytes + right.receivedBytes,
  connections: left.connections + right.connections,
  refused: left.refused + right.refused,
})

/** One HTTP server for the connections of all lanes. It listens on no port itself. */
const createHttp = (arrivals: WeakMap<object, Arrival>): Server => {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: true,
    keepAliveTimeout: keepAliveTimeoutMs,
    // A page may upload for as long as its session lives.
    requestTimeout: 0,
  })
  const withArrival = (socket: Duplex, use: (arrival: Arrival) => void): void => {
    const arrival = arrivals.get(socket)
    if (arrival === undefined) socket.destroy()
    else use(arrival)
  }
  server.on('request', (request, response) =>
    withArrival(request.socket, ({ lane, isAdmitted }) => {
      void isAdmitted.then((isIn) => isIn && forwardRequest(lane, lane.agent, request, response))
    }),
  )
  // Both answer every failure on the socket themselves.
  server.on('connect', (request, socket, head: Buffer) =>
    withArrival(socket, (arrival) => void openTunnel(contextOf(arrival), request, socket, head)),
  )
  server.on('upgrade', (request, socket, head: Buffer) =>
    withArrival(socket, (arrival) => void forwardUpgrade(contextOf(arrival), request, socket, head)),
  )
  server.on('clientError', (_error, socket) => {
    socket.destroy()
  })
  return server
}

/** Finding out who asks takes the kernel some milliseconds. Meanwhile the connection is made, but nothing goes over it. */
const contextOf = ({ lane, isAdmitted }: Arrival): LaneContext => ({
  note: lane.note,
  connect: async (target, signal) => {
    const connecting = lane.connect(target, signal)
    const [result] = await Promise.allSettled([connecting, isAdmitted])
    if (result.status === 'rejected') throw result.reason
    if (await isAdmitted) return result.value
    result.value.destroy()
    throw new BowlineError('EGRESS_REFUSED', 'This lane belongs to another user')
  },
})
