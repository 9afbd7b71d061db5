import { once } from 'node:events'
import { Agent, type Server as HttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { isBowlineError } from '../../kit/errors.ts'
import type { Target } from './allow-list.ts'
import type { Connector, Route } from './connector.ts'
import type { LaneContext } from './lane-context.ts'
import type { OwnPorts } from './own-ports.ts'
import type { FindPeer } from './peer.ts'

/** What went through the proxy. Bytes are those between browser and proxy. */
export interface Traffic {
  readonly sentBytes: number
  readonly receivedBytes: number
  readonly connections: number
  /** Connections that were asked for and refused by the address policy. */
  readonly refused: number
}

/** One browser's way out: a port that only its user may use. Disposing closes every connection that came by it. */
export interface Lane extends AsyncDisposable {
  /** The proxy as Chromium takes it, such as `http://127.0.0.1:40123`. */
  readonly server: string
  readonly traffic: () => Traffic
}

/** How one lane differs from the others. */
export interface LaneOptions {
  /** The user whose processes may use it. Default: the server's own. */
  readonly uid?: number | undefined
  /** Default `auto`. */
  readonly route?: Route | undefined
}

/** What the proxy says about itself. Fits a pino logger. */
export interface EgressLog {
  readonly debug: (facts: object, message: string) => void
  readonly warn: (facts: object, message: string) => void
}

/** What every lane is made from. */
export interface LaneParts {
  readonly connector: Connector
  readonly ownPorts: OwnPorts
  /** Undefined: the machine does not tell who connects, so the port alone keeps lanes apart. */
  readonly findPeer: FindPeer | undefined
  /** Takes over the connections that were admitted. */
  readonly http: HttpServer
  readonly contexts: WeakMap<object, OpenLane>
  readonly log: EgressLog
  /** Connections that one lane holds at once; more are closed at once. Default 1000. */
  readonly maxConnections?: number | undefined
}

/** A lane as the proxy sees it. */
export interface OpenLane extends LaneContext {
  readonly agent: Agent
}

const defaultMaxConnections = 1000

/** Opens a lane on a free port of 127.0.0.1. */
export const openLane = async (parts: LaneParts, options: LaneOptions): Promise<Lane> => {
  const count = { sentBytes: 0, receivedBytes: 0, connections: 0, refused: 0 }
  const sockets = new Set<Socket>()
  const ended = new AbortController()
  const context = createContext(parts, options.route ?? 'auto', ended.signal, () => (count.refused += 1))
  const listener = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (socket) => {
    count.connections += 1
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      sockets.delete(socket)
      count.sentBytes += socket.bytesRead
      count.receivedBytes += socket.bytesWritten
    })
    void admit(parts, options.uid, socket, context)
  })
  listener.maxConnections = parts.maxConnections ?? defaultMaxConnections
  const port = await listen(listener)
  const guard = parts.ownPorts.guard(port)
  const sum = (base: number, field: 'bytesRead' | 'bytesWritten'): number =>
    [...sockets].reduce((total, socket) => total + socket[field], base)
  return {
    server: `http://127.0.0.1:${port}`,
    traffic: () => ({
      ...count,
      sentBytes: sum(count.sentBytes, 'bytesRead'),
      receivedBytes: sum(count.receivedBytes, 'bytesWritten'),
    }),
    [Symbol.asyncDispose]: async () => {
      if (ended.signal.aborted) return
      ended.abort()
      context.agent.destroy()
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of sockets) socket.destroy()
      await closed
      guard[Symbol.dispose]()
    },
  }
}

const createContext = (parts: LaneParts, route: Route, ended: AbortSignal, onRefused: () => void): OpenLane => {
  const connect: LaneContext['connect'] = async (target, signal) =>
    parts.connector.connect(target, route, signal === undefined ? ended : AbortSignal.any([ended, signal]))
  return {
    connect,
    note: (error, target) => {
      if (ended.aborted) return
      const isRefused = isBowlineError(error) && error.code === 'EGRESS_REFUSED'
      if (isRefused) onRefused()
      const reason = Error.isError(error) ? error.message : String(error)
      parts.log.debug({ ...target, reason }, isRefused ? 'egress refused' : 'egress failed')
    },
    agent: new JudgedAgent(connect),
  }
}

/** Keeps connections to targets of plain http requests; every one was judged when it was made. */
class JudgedAgent extends Agent {
  readonly #connect: LaneContext['connect']

  constructor(connect: LaneContext['connect']) {
    super({ keepAlive: true, maxFreeSockets: 64 })
    this.#connect = connect
  }

  override createConnection(options: object, done?: (error: Error | null, socket: Socket) => void): undefined {
    // Node leaves the socket out when there is an error; its type does not say so.
    const fail = done as ((error: Error) => void) | undefined
    this.#connect(options as Target).then(
      (socket) => done?.(null, socket),
      (error: unknown) => fail?.(Error.isError(error) ? error : new Error(String(error))),
    )
    return undefined
  }
}

const listen = async (listener: Server): Promise<number> => {
  listener.listen({ host: '127.0.0.1', port: 0, backlog: 1024 })
  await once(listener, 'listening')
  return (listener.address() as AddressInfo).port
}

/** Hands a connection to the HTTP server when it comes from the lane's user, and closes it otherwise. */
const admit = async (parts: LaneParts, uid: number | undefined, socket: Socket, context: OpenLane): Promise<void> => {
  if (parts.findPeer !== undefined) {
    const expected = uid ?? process.getuid?.()
    const found = await parts.findPeer(socket).catch(() => undefined)
    if (found !== expected) {
      parts.log.debug({ uid: found, expected }, 'egress connection of a stranger closed')
      socket.destroy()
    }
  }
  if (socket.destroyed) return
  parts.contexts.set(socket, context)
  parts.http.emit('connection', socket)
  socket.resume()
}
