import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { isBowlineError } from 'bowline/kit/errors'
import { BrowserMessages } from './browser-messages.ts'
import type { Connector, Route } from './connector.ts'
import type { ProxyEndpointContext } from './proxy-endpoint-context.ts'
import { netErrorOf } from './net-errors.ts'
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
export interface ProxyEndpoint extends AsyncDisposable {
  /** The proxy as Chromium takes it, such as `http://127.0.0.1:40123`. */
  readonly server: string
  /** Listens on a socket that was made for `lentPort`. The lane closes it. */
  readonly serve: (listener: Server) => void
  readonly traffic: () => Traffic
  /** Removes the proxy from a CDP message of the browser; see `BrowserMessages`. */
  readonly correct: (message: Buffer) => Buffer
}

/** How one lane differs from the others. */
export interface ProxyEndpointOptions {
  /** The user whose processes may use it. Default: the server's own. */
  readonly uid?: number | undefined
  /**
   * A port in a network of the browser's own; the lane listens when it is handed the socket of that port by `serve`.
   * Default: a free port of this machine.
   */
  readonly exportedListener?: number | undefined
  /** Default `auto`. */
  readonly route?: Route | undefined
}

/** What the proxy says about itself. Fits a pino logger. */
export interface EgressLog {
  readonly debug: (facts: object, message: string) => void
  readonly warn: (facts: object, message: string) => void
}

/** What every lane is made from. */
export interface ProxyEndpointDeps {
  readonly connector: Connector
  readonly ownPorts: OwnPorts
  /** Undefined: the machine does not tell who connects, so the port alone keeps lanes apart. */
  readonly findPeer: FindPeer | undefined
  /** Serves a connection. */
  readonly accept: (socket: Socket, arrival: Arrival) => void
  readonly log: EgressLog
  /** Connections that one lane holds at once; more are closed at once. Default 1000. */
  readonly maxConnections?: number | undefined
}

/** A connection to a lane. */
export interface Arrival {
  readonly endpoint: ProxyEndpointContext
  /** Whether it comes from the lane's user. When not, it is closed already. Never rejects. */
  readonly isAdmitted: Promise<boolean>
}

const defaultMaxConnections = 1000

/** Opens a lane on a free port of 127.0.0.1. */
export async function openProxyEndpoint(
  deps: ProxyEndpointDeps,
  options: ProxyEndpointOptions,
): Promise<ProxyEndpoint> {
  const count = { sentBytes: 0, receivedBytes: 0, connections: 0, refused: 0 }
  const sockets = new Set<Socket>()
  const ended = new AbortController()
  const messages = new BrowserMessages()
  const context = createContext(deps, {
    route: options.route ?? 'auto',
    ended: ended.signal,
    messages,
    onRefused: () => (count.refused += 1),
  })
  const listener = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (socket) => {
    count.connections += 1
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      sockets.delete(socket)
      count.sentBytes += socket.bytesRead
      count.receivedBytes += socket.bytesWritten
    })
    receive(deps, options, socket, context)
  })
  listener.maxConnections = deps.maxConnections ?? defaultMaxConnections
  const port = options.exportedListener ?? (await listen(listener))
  messages.proxyPort = port
  const guard = options.exportedListener === undefined ? deps.ownPorts.guard(port) : undefined
  const sum = (base: number, field: 'bytesRead' | 'bytesWritten'): number =>
    [...sockets].reduce((total, socket) => total + socket[field], base)
  return {
    server: `http://127.0.0.1:${port}`,
    serve: (lent) => {
      // Its handle is listened on anew, because half-open sockets and pausing cannot be set on it.
      if (ended.signal.aborted) lent.close()
      else listener.listen(lent)
    },
    traffic: () => ({
      ...count,
      sentBytes: sum(count.sentBytes, 'bytesRead'),
      receivedBytes: sum(count.receivedBytes, 'bytesWritten'),
    }),
    correct: messages.correct,
    [Symbol.asyncDispose]: async () => {
      if (ended.signal.aborted) return
      ended.abort()
      const closed = listener.listening ? once(listener, 'close') : undefined
      listener.close()
      for (const socket of sockets) socket.destroy()
      await closed
      guard?.[Symbol.dispose]()
    },
  }
}

interface ContextFacts {
  readonly route: Route
  readonly ended: AbortSignal
  readonly messages: BrowserMessages
  readonly onRefused: () => void
}

function createContext(
  { connector, log }: ProxyEndpointDeps,
  { route, ended, messages, onRefused }: ContextFacts,
): ProxyEndpointContext {
  let isRefusalLogged = false
  return {
    connect: async (target, signal) => {
      const limited = signal === undefined ? ended : AbortSignal.any([ended, signal])
      const socket = await connector.connect(target, route, limited)
      messages.noteConnection(target, connector.isDirect(socket) ? socket.remoteAddress : undefined)
      return socket
    },
    note: (error, target) => {
      if (ended.aborted) return
      messages.noteFailure(netErrorOf(error))
      const reason = Error.isError(error) ? error.message : String(error)
      if (!isBowlineError(error) || error.code !== 'EGRESS_REFUSED') {
        log.debug({ ...target, reason }, 'egress failed')
        return
      }
      onRefused()
      // A page may ask a thousand times; its operator needs to hear of it once.
      if (isRefusalLogged) log.debug({ ...target, reason }, 'egress refused')
      else log.warn({ ...target, reason, hint: error.hint }, 'egress refused')
      isRefusalLogged = true
    },
  }
}

async function listen(listener: Server): Promise<number> {
  listener.listen({ host: '127.0.0.1', port: 0, backlog: 1024 })
  await once(listener, 'listening')
  return (listener.address() as AddressInfo).port
}

/** Hands a connection on, with the promise to find out where it comes from. */
function receive(
  deps: ProxyEndpointDeps,
  { uid, exportedListener }: ProxyEndpointOptions,
  socket: Socket,
  endpoint: ProxyEndpointContext,
): void {
  // Nobody else is in the network of a lent port.
  const isAdmitted =
    exportedListener === undefined ? isOfUser(deps, uid ?? process.getuid?.(), socket) : Promise.resolve(true)
  deps.accept(socket, { endpoint, isAdmitted })
}

async function isOfUser(
  { findPeer, log }: ProxyEndpointDeps,
  expected: number | undefined,
  socket: Socket,
): Promise<boolean> {
  if (findPeer === undefined) return true
  const uid = await findPeer(socket).catch(() => undefined)
  if (uid === expected) return true
  log.debug({ uid, expected }, 'egress connection of a stranger closed')
  socket.destroy()
  return false
}
