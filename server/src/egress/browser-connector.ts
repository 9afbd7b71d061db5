import type { Socket } from 'node:net'
import type { SessionNetwork, SessionProxy } from 'bowline/contract/session-network'
import { mergeSignals } from 'bowline/kit/abort'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { BrowserMessages } from './browser-messages.ts'
import type { Connector, ConnectOptions, HttpRoute, UpstreamChoice } from './connector.ts'
import { CredentialsRequired } from './credentials-required.ts'
import { createDomainRules, RefusedByDomains, type DomainRules } from './domain-rules.ts'
import type { EgressLog } from './egress-log.ts'
import type { EndpointConnectOptions, EndpointConnector } from './endpoint-connector.ts'
import type { HostPort } from './host-port.ts'
import { asLookupOwner } from '../kit/lookup-owner.ts'
import { netErrorOf } from './net-errors.ts'
import type { Upstream } from './upstream.ts'

/** Options of a `BrowserConnector`. */
export interface BrowserConnectorOptions {
  /** Upstream proxies of a browser whose session has no proxy of its own. */
  readonly upstream: UpstreamChoice
  /** Aborts when the proxy endpoint is closed. */
  readonly ended: AbortSignal
  /** For whom the browser looks up names. */
  readonly lookups: { readonly owner: string }
  readonly messages: BrowserMessages
  readonly onRefused: () => void
}

/** Connects one browser to its targets, by the options of the session that uses it. */
export class BrowserConnector implements EndpointConnector {
  readonly #connector: Connector
  readonly #log: EgressLog
  readonly #options: BrowserConnectorOptions
  #upstream: UpstreamChoice | Upstream
  #domains: DomainRules | undefined
  #isRefusalLogged = false

  constructor(deps: { readonly connector: Connector; readonly log: EgressLog }, options: BrowserConnectorOptions) {
    this.#connector = deps.connector
    this.#log = deps.log
    this.#options = options
    this.#upstream = options.upstream
  }

  /**
   * Applies the options of a session to all further connections. Throws EGRESS_REFUSED or
   * EGRESS_FAILED if its proxy cannot be used.
   */
  async applyNetwork(network: SessionNetwork): Promise<void> {
    if (network.proxy !== undefined) this.#upstream = await this.#openProxy(network.proxy)
    this.#domains = createDomainRules(network)
  }

  /**
   * Creates the connector of a browser context with a proxy of its own. The rules of the session
   * apply. Without credentials, the browser is asked for them when an HTTP proxy requires some.
   * Throws EGRESS_REFUSED or EGRESS_FAILED if the proxy cannot be used.
   */
  async withProxy(proxy: SessionProxy): Promise<BrowserConnector> {
    const context = new BrowserConnector({ connector: this.#connector, log: this.#log }, this.#options)
    const upstream = await this.#openProxy(proxy)
    const asksForCredentials = !upstream.url.protocol.startsWith('socks') && !proxy.username && !proxy.password
    context.#upstream = { ...upstream, asksForCredentials }
    context.#domains = this.#domains
    return context
  }

  get asksForCredentials(): boolean {
    return typeof this.#upstream === 'object' && this.#upstream.asksForCredentials === true
  }

  readonly connect = async (target: HostPort, options: EndpointConnectOptions = {}): Promise<Socket> => {
    const permitted = this.#permitted(target, options)
    const socket = await this.#asOwner(async () => this.#connector.connect(target, ...permitted))
    this.#noteConnection(target, socket)
    return socket
  }

  readonly connectHttp = async (target: HostPort, options: EndpointConnectOptions = {}): Promise<HttpRoute> => {
    const permitted = this.#permitted(target, options)
    const route = await this.#asOwner(async () => this.#connector.connectHttp(target, ...permitted))
    this.#noteConnection(target, route.socket)
    return route
  }

  async #openProxy(proxy: SessionProxy): Promise<Upstream> {
    return this.#asOwner(async () => this.#connector.openSessionProxy(proxy))
  }

  async #asOwner<Result>(run: () => Promise<Result>): Promise<Result> {
    return asLookupOwner(this.#options.lookups.owner, run)
  }

  readonly noteFailure = (error: unknown, target: HostPort): void => {
    const { ended, messages, onRefused } = this.#options
    if (ended.aborted || error instanceof CredentialsRequired) return
    const explanation = error instanceof RefusedByDomains ? error.explanation : undefined
    messages.noteFailure(netErrorOf(error), target, explanation)
    const facts = { ...target, reason: messageOf(error) }
    if (!isBowlineError(error) || error.code !== 'EGRESS_REFUSED') return this.#log.debug(facts, 'egress failed')
    onRefused()
    // The operator needs to know which addresses the policy refuses, not what a session refuses to
    // itself. A page may retry a thousand times, so one warning is enough.
    if (explanation !== undefined || this.#isRefusalLogged) return this.#log.debug(facts, 'egress refused')
    this.#log.warn({ ...facts, hint: error.hint }, 'egress refused')
    this.#isRefusalLogged = true
  }

  /** The upstream and the options for a target. Throws EGRESS_REFUSED if the session refuses it. */
  #permitted(
    target: HostPort,
    { signal, onSlow, authorization }: EndpointConnectOptions,
  ): [UpstreamChoice | Upstream, ConnectOptions] {
    const refusedBy = this.#domains?.refusalOf(target)
    if (refusedBy !== undefined) throw new RefusedByDomains(target, refusedBy)
    return [this.#upstreamWith(authorization), { signal: mergeSignals(this.#options.ended, signal), onSlow }]
  }

  #noteConnection(target: HostPort, socket: Socket): void {
    const address = this.#connector.isDirect(socket) ? socket.remoteAddress : undefined
    this.#options.messages.noteConnection(target, address)
  }

  /** The upstream with the credentials of one request. */
  #upstreamWith(authorization: string | undefined): UpstreamChoice | Upstream {
    const upstream = this.#upstream
    return typeof upstream === 'object' && upstream.asksForCredentials === true
      ? { ...upstream, authorization }
      : upstream
  }
}
