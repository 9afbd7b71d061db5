import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { SessionNetwork, SessionProxy } from 'bowline/contract/session-network'
import { BrowserConnector } from './browser-connector.ts'
import { BrowserMessages } from './browser-messages.ts'
import { ContextListeners, listenOnLoopback } from './context-listeners.ts'
import type { Connector, UpstreamChoice } from './connector.ts'
import type { EgressLog } from './egress-log.ts'
import type { EndpointConnector } from './endpoint-connector.ts'
import type { OwnPorts } from './own-ports.ts'
import type { FindOwner } from './connection-owner.ts'

/** Traffic through the proxy. Bytes are counted between browser and proxy. */
export interface Traffic {
  readonly sentBytes: number
  readonly receivedBytes: number
  readonly connections: number
  /** Connections that the address policy refused. */
  readonly refused: number
}

/**
 * The egress proxy of one browser: a port that only its user can use. Disposing closes all its
 * connections.
 */
export interface ProxyEndpoint extends AsyncDisposable {
  /** Proxy URL for Chromium, such as `http://127.0.0.1:40123`. */
  readonly server: string
  /** Listens on an exported socket. The endpoint closes it. */
  readonly listenOn: (listener: Server) => void
  readonly traffic: () => Traffic
  /** Removes traces of the proxy from a CDP message; see `BrowserMessages`. */
  readonly rewrite: (message: Buffer) => Buffer
  /**
   * Applies the options of a session to all further connections. Throws EGRESS_REFUSED or
   * EGRESS_FAILED if its proxy cannot be used.
   */
  readonly applyNetwork: (network: SessionNetwork) => Promise<void>
  /**
   * Opens a proxy for browser contexts, which connects through the proxy of a client. Resolves to
   * its URL, as `server`. Throws EGRESS_REFUSED or EGRESS_FAILED if that proxy cannot be used.
   */
  readonly openContext: (proxy: SessionProxy) => Promise<string>
  /** Records a refused page. `explanation` is appended to the error of its navigation. */
  readonly noteRefusedPage: (explanation: string) => void
}

/** Options of one proxy endpoint. */
export interface ProxyEndpointOptions {
  /** The user whose processes may connect. Default: the server's own. */
  readonly uid?: number | undefined
  /**
   * Port in the browser's own network, whose listening socket is passed to `listenOn`. Default: a
   * free port of this machine.
   */
  readonly jailProxyPort?: number | undefined
  /** Default: `fallback`. */
  readonly upstream?: UpstreamChoice | undefined
}

/** Dependencies that all proxy endpoints share. */
export interface ProxyEndpointDeps {
  readonly connector: Connector
  readonly ownPorts: OwnPorts
  /**
   * Finds the user of a connection. Undefined if the machine does not support it: then only the
   * port separates browsers.
   */
  readonly findOwner: FindOwner | undefined
  /** Handles a connection. */
  readonly accept: (socket: Socket, connection: EndpointConnection) => void
  readonly log: EgressLog
  /**
   * Maximum number of concurrent connections per endpoint. Further ones are closed immediately.
   * Default: 1000.
   */
  readonly maxConnections?: number | undefined
}

/** A connection to a proxy endpoint. */
export interface EndpointConnection {
  readonly endpoint: EndpointConnector
  /**
   * Whether the connection comes from the endpoint's user. If not, it is already closed. Never
   * rejects.
   */
  readonly isAdmitted: Promise<boolean>
}

const defaultMaxConnections = 1000

/** Opens a proxy endpoint on a free port of 127.0.0.1, or on an exported listener. */
export async function openProxyEndpoint(
  deps: ProxyEndpointDeps,
  options: ProxyEndpointOptions,
): Promise<ProxyEndpoint> {
  const count = { sentBytes: 0, receivedBytes: 0, connections: 0, refused: 0 }
  const sockets = new Set<Socket>()
  const ended = new AbortController()
  const messages = new BrowserMessages()
  const browserConnector = new BrowserConnector(deps, {
    upstream: options.upstream ?? 'fallback',
    ended: ended.signal,
    messages,
    onRefused: () => (count.refused += 1),
  })
  const openListener = (connector: EndpointConnector): Server =>
    createListener(deps, (socket) => {
      count.connections += 1
      sockets.add(socket)
      socket.once('close', () => {
        sockets.delete(socket)
        count.sentBytes += socket.bytesRead
        count.receivedBytes += socket.bytesWritten
      })
      accept(deps, options, socket, connector)
    })
  const listener = openListener(browserConnector)
  const contexts = new ContextListeners({ ...deps, messages, isReachable: options.jailProxyPort === undefined })
  const port = options.jailProxyPort ?? (await listenOnLoopback(listener))
  messages.proxyPorts.add(port)
  const guard = options.jailProxyPort === undefined ? deps.ownPorts.block(port) : undefined
  const sum = (base: number, field: 'bytesRead' | 'bytesWritten'): number =>
    [...sockets].reduce((total, socket) => total + socket[field], base)
  return {
    server: `http://127.0.0.1:${port}`,
    listenOn: (exported) => {
      // The handle gets a new server, because half-open sockets and `pauseOnConnect` cannot be set
      // on the exported one.
      if (ended.signal.aborted) exported.close()
      else listener.listen(exported)
    },
    traffic: () => ({
      ...count,
      sentBytes: sum(count.sentBytes, 'bytesRead'),
      receivedBytes: sum(count.receivedBytes, 'bytesWritten'),
    }),
    rewrite: messages.rewrite,
    noteRefusedPage: (explanation) => messages.noteRefusedPage(explanation),
    applyNetwork: async (network) => browserConnector.applyNetwork(network),
    openContext: async (proxy) =>
      contexts.open(proxy, async () => openListener(await browserConnector.withProxy(proxy))),
    [Symbol.asyncDispose]: async () => {
      if (ended.signal.aborted) return
      ended.abort()
      const closed = listener.listening ? once(listener, 'close') : undefined
      listener.close()
      const contextsClosed = contexts[Symbol.asyncDispose]()
      for (const socket of sockets) socket.destroy()
      await Promise.all([closed, contextsClosed])
      guard?.[Symbol.dispose]()
    },
  }
}

function createListener(
  { maxConnections = defaultMaxConnections }: ProxyEndpointDeps,
  onSocket: (socket: Socket) => void,
): Server {
  const listener = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    onSocket(socket)
  })
  listener.maxConnections = maxConnections
  return listener
}

/** Accepts a connection. Its user is checked in the background. */
function accept(
  deps: ProxyEndpointDeps,
  { uid, jailProxyPort }: ProxyEndpointOptions,
  socket: Socket,
  endpoint: EndpointConnector,
): void {
  // Only the browser itself is in its own network.
  const isAdmitted =
    jailProxyPort === undefined ? isOfUser(deps, uid ?? process.getuid?.(), socket) : Promise.resolve(true)
  deps.accept(socket, { endpoint, isAdmitted })
}

async function isOfUser(
  { findOwner, log }: ProxyEndpointDeps,
  expected: number | undefined,
  socket: Socket,
): Promise<boolean> {
  if (findOwner === undefined) return true
  // A connection whose owner cannot be found is refused below.
  const uid = await findOwner(socket).catch(() => undefined)
  if (uid === expected) return true
  log.debug({ uid, expected }, 'egress connection of another user closed')
  socket.destroy()
  return false
}
