import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { SessionNetwork, SessionProxy } from 'bowline/contract/session-network'
import { BrowserConnector } from './browser-connector.ts'
import { BrowserMessages } from './browser-messages.ts'
import { ContextListeners, listenOnLoopback, type ContextProxy } from './context-listeners.ts'
import type { Connector, UpstreamChoice } from './connector.ts'
import type { EgressLog } from './egress-log.ts'
import { EndpointTraffic, type Traffic } from './endpoint-traffic.ts'
import type { EndpointConnector } from './endpoint-connector.ts'
import type { OwnPorts } from './own-ports.ts'
import type { FindOwner } from './connection-owner.ts'

/**
 * The egress proxy of one browser: a port that only its user can use. Disposing closes all its
 * connections.
 */
export interface ProxyEndpoint extends AsyncDisposable {
  /** Proxy URL for Chromium, such as `http://127.0.0.1:40123`. */
  readonly server: string
  /** Listens on an exported socket. The endpoint closes it. */
  readonly listenOn: (listener: Server) => void
  /**
   * Listens on a socket of another network whose processes belong to the browser's session.
   * Disposing the result closes it with its connections.
   */
  readonly listenAlso: (listener: Server) => AsyncDisposable
  readonly traffic: () => Traffic
  /** Removes traces of the proxy from CDP messages; see `BrowserMessages`. */
  readonly messages: Pick<BrowserMessages, 'rewrite' | 'noteCommand'>
  /** Counts the name lookups of the browser for an owner, such as a team. Default: the browser. */
  readonly setLookupOwner: (ownerId: string) => void
  /**
   * Applies the options of a session to all further connections. Throws EGRESS_REFUSED or
   * EGRESS_FAILED if its proxy cannot be used.
   */
  readonly applyNetwork: (network: SessionNetwork) => Promise<void>
  /**
   * Opens a proxy for browser contexts, which connects through the proxy of a client. Throws
   * EGRESS_REFUSED or EGRESS_FAILED if that proxy cannot be used.
   */
  readonly openContext: (proxy: SessionProxy) => Promise<ContextProxy>
  /** Records a refused page. `explanation` is appended to the error of its navigation. */
  readonly noteRefusedPage: (explanation: string) => void
}

/** Options of one proxy endpoint. */
export interface ProxyEndpointOptions {
  /** The user whose processes may connect. Default: the server's own. */
  readonly uid?: number | undefined
  /**
   * Port on all addresses of the browser's own network, whose listening socket is passed to
   * `listenOn`. Default: a free port of this machine.
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

let openedEndpoints = 0

/** Opens a proxy endpoint on a free port of 127.0.0.1, or on an exported listener. */
export async function openProxyEndpoint(
  deps: ProxyEndpointDeps,
  options: ProxyEndpointOptions,
): Promise<ProxyEndpoint> {
  const traffic = new EndpointTraffic()
  const ended = new AbortController()
  const messages = new BrowserMessages()
  const lookups = { owner: `browser ${++openedEndpoints}` }
  const browserConnector = new BrowserConnector(deps, {
    upstream: options.upstream ?? 'fallback',
    ended: ended.signal,
    lookups,
    messages,
    onRefused: () => traffic.addRefused(),
  })
  const { jailProxyPort } = options
  /** `port`: in a network of its own. Undefined: on this machine, whose other users may connect. */
  const openListener = (connectorOf: (socket: Socket) => EndpointConnector | undefined, port = jailProxyPort): Server =>
    createListener(deps, (socket) => {
      traffic.add(socket)
      accept(deps, { uid: options.uid, jailProxyPort: port }, socket, connectorOf(socket))
    })
  const contexts = new ContextListeners({
    ...deps,
    messages,
    jailProxyPort,
    createListener: (connector) => openListener(() => connector),
  })
  const listener = openListener(({ localAddress }) =>
    jailProxyPort === undefined || localAddress === '127.0.0.1' ? browserConnector : contexts.connectorAt(localAddress),
  )
  const port = jailProxyPort ?? (await listenOnLoopback(listener))
  messages.proxies.set(`127.0.0.1:${port}`, undefined)
  const guard = jailProxyPort === undefined ? deps.ownPorts.block(port) : undefined
  return {
    server: `http://127.0.0.1:${port}`,
    listenOn: (exported) => listenOnExported(listener, exported, ended.signal),
    listenAlso: (exported) => {
      const also = openListener(() => browserConnector, 0)
      listenOnExported(also, exported, ended.signal)
      return { [Symbol.asyncDispose]: async () => void also.close() }
    },
    traffic: () => traffic.total(),
    messages,
    noteRefusedPage: (explanation) => messages.noteRefusedPage(explanation),
    setLookupOwner: (ownerId) => void (lookups.owner = ownerId),
    applyNetwork: async (network) => browserConnector.applyNetwork(network),
    openContext: async (proxy) => contexts.open(proxy, async () => browserConnector.withProxy(proxy)),
    [Symbol.asyncDispose]: async () => {
      if (ended.signal.aborted) return
      ended.abort()
      const closed = listener.listening ? once(listener, 'close') : undefined
      listener.close()
      const contextsClosed = contexts[Symbol.asyncDispose]()
      traffic.destroyAll()
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

/**
 * Listens on an exported handle with a server of this process, because half-open sockets and
 * `pauseOnConnect` cannot be set on the exported one.
 */
function listenOnExported(listener: Server, exported: Server, ended: AbortSignal): void {
  if (ended.aborted) exported.close()
  else listener.listen(exported)
}

/** Accepts a connection, unless it has no connector. Its user is checked in the background. */
function accept(
  deps: ProxyEndpointDeps,
  { uid, jailProxyPort }: ProxyEndpointOptions,
  socket: Socket,
  endpoint: EndpointConnector | undefined,
): void {
  if (endpoint === undefined) return void socket.destroy()
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
