import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { SessionProxy } from 'bowline/contract/session-network'
import { BowlineError } from 'bowline/kit/errors'
import type { BrowserMessages } from './browser-messages.ts'
import type { OwnPorts } from './own-ports.ts'

/** Maximum number of different proxies for the contexts of one browser. */
const maxProxies = 100

/** Options of `ContextListeners`. */
export interface ContextListenersOptions {
  readonly ownPorts: OwnPorts
  readonly messages: BrowserMessages
  /** Whether the browser can connect to ports of this machine. */
  readonly isReachable: boolean
}

/**
 * Ports of this machine through which browser contexts reach their proxies. Contexts with the same
 * proxy share one. All stay open until the browser has exited.
 */
export class ContextListeners implements AsyncDisposable {
  readonly #options: ContextListenersOptions
  readonly #servers = new Map<string, Promise<string>>()
  readonly #undo = new AsyncDisposableStack()

  constructor(options: ContextListenersOptions) {
    this.#options = options
  }

  /** Returns the URL of the port for a proxy, which `createListener` serves. */
  async open(proxy: SessionProxy, createListener: () => Promise<Server>): Promise<string> {
    if (!this.#options.isReachable) {
      throw new BowlineError('NOT_IMPLEMENTED', 'it is not available with `--isolation strict`')
    }
    const key = JSON.stringify([proxy.server, proxy.username, proxy.password])
    const known = this.#servers.get(key)
    if (known !== undefined) return known
    if (this.#servers.size >= maxProxies) {
      throw new BowlineError('EGRESS_REFUSED', `the session has used ${maxProxies} different proxies already`)
    }
    const opening = this.#listen(createListener)
    this.#servers.set(key, opening)
    // The next attempt may succeed: its name may resolve, or its address may be allowed by then.
    opening.catch(() => this.#servers.delete(key))
    return opening
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#undo.disposed) await this.#undo.disposeAsync()
  }

  async #listen(createListener: () => Promise<Server>): Promise<string> {
    const listener = await createListener()
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
      this.#options.messages.proxyPorts.add(port)
    }
    return `http://127.0.0.1:${port}`
  }
}

/** Listens on a free port of 127.0.0.1. Resolves to the port. */
export async function listenOnLoopback(listener: Server): Promise<number> {
  listener.listen({ host: '127.0.0.1', port: 0, backlog: 1024 })
  await once(listener, 'listening')
  return (listener.address() as AddressInfo).port
}
