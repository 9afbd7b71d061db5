import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { SessionProxy } from 'bowline/contract/session-network'
import { BowlineError } from 'bowline/kit/errors'
import type { BrowserMessages } from './browser-messages.ts'
import type { EndpointConnector } from './endpoint-connector.ts'
import type { OwnPorts } from './own-ports.ts'

/** Maximum number of different proxies for the contexts of one browser. */
const maxProxies = 100

/** The proxy of a browser context, as the browser reaches it. */
export interface ContextProxy {
  /** Its URL, such as `http://127.0.0.1:40123`. */
  readonly server: string
  /** Whether it asks the browser for credentials. It then does not speak SOCKS. */
  readonly asksForCredentials: boolean
}

/** Options of `ContextListeners`. */
export interface ContextListenersOptions {
  readonly ownPorts: OwnPorts
  readonly messages: BrowserMessages
  /**
   * Port of the endpoint in the browser's own network. Undefined if the browser can connect to
   * ports of this machine.
   */
  readonly jailProxyPort: number | undefined
  /** Creates the server of a port. It does not listen yet. */
  readonly createListener: (connector: EndpointConnector) => Server
}

/**
 * Addresses on which browser contexts reach their proxies. Contexts with the same proxy share one.
 * They are ports of this machine, or addresses of the loopback interface in the browser's own
 * network, where the endpoint listens on all addresses. All stay open until the browser has exited.
 */
export class ContextListeners implements AsyncDisposable {
  readonly #options: ContextListenersOptions
  readonly #proxies = new Map<string, Promise<ContextProxy>>()
  /** By address in the browser's own network. */
  readonly #connectors = new Map<string, EndpointConnector>()
  readonly #undo = new AsyncDisposableStack()

  constructor(options: ContextListenersOptions) {
    this.#options = options
  }

  /** Opens a proxy, unless it is open. `connect` creates its connector. */
  async open(proxy: SessionProxy, connect: () => Promise<EndpointConnector>): Promise<ContextProxy> {
    const key = JSON.stringify([proxy.server, proxy.username, proxy.password])
    const known = this.#proxies.get(key)
    if (known !== undefined) return known
    if (this.#proxies.size >= maxProxies) {
      throw new BowlineError('EGRESS_REFUSED', `the session has used ${maxProxies} different proxies already`)
    }
    const opening = this.#open(proxy, connect)
    this.#proxies.set(key, opening)
    // The next attempt may succeed: its name may resolve, or its address may be allowed by then.
    opening.catch(() => this.#proxies.delete(key))
    return opening
  }

  /** The connector of an address in the browser's own network. Undefined if it has none. */
  connectorAt(address: string | undefined): EndpointConnector | undefined {
    return this.#connectors.get(address ?? '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#undo.disposed) await this.#undo.disposeAsync()
  }

  async #open(proxy: SessionProxy, connect: () => Promise<EndpointConnector>): Promise<ContextProxy> {
    const { jailProxyPort, messages } = this.#options
    const connector = await connect()
    const host = jailProxyPort === undefined ? '127.0.0.1' : this.#assignAddress(connector)
    const port = jailProxyPort ?? (await this.#listen(connector))
    messages.proxies.set(`${host}:${port}`, connector.asksForCredentials ? new URL(proxy.server).origin : undefined)
    return { server: `http://${host}:${port}`, asksForCredentials: connector.asksForCredentials }
  }

  /** The endpoint itself has 127.0.0.1. */
  #assignAddress(connector: EndpointConnector): string {
    const address = `127.0.0.${this.#connectors.size + 2}`
    this.#connectors.set(address, connector)
    return address
  }

  async #listen(connector: EndpointConnector): Promise<number> {
    const listener = this.#options.createListener(connector)
    const port = await listenOnLoopback(listener)
    const close = async (): Promise<void> => {
      const closed = once(listener, 'close')
      listener.close()
      await closed
    }
    if (this.#undo.disposed) await close()
    else {
      this.#undo.use(this.#options.ownPorts.block(port))
      this.#undo.defer(close)
    }
    return port
  }
}

/** Listens on a free port of 127.0.0.1. Resolves to the port. */
export async function listenOnLoopback(listener: Server): Promise<number> {
  listener.listen({ host: '127.0.0.1', port: 0, backlog: 1024 })
  await once(listener, 'listening')
  return (listener.address() as AddressInfo).port
}
