import type { Socket } from 'node:net'
import type { ConnectOptions, HttpRoute } from './connector.ts'
import type { HostPort } from './host-port.ts'

/** Connects to targets on behalf of one proxy endpoint. */
export interface EndpointConnector {
  /**
   * Whether the browser is asked for the credentials of the upstream proxy. It then sends plain
   * http requests as to an HTTP proxy, because SOCKS has no challenge that it answers.
   */
  readonly asksForCredentials: boolean
  /**
   * Connects with the permissions of the endpoint's browser. Throws EGRESS_REFUSED, EGRESS_FAILED,
   * or the abort reason of a closed endpoint.
   */
  readonly connect: (target: HostPort, options?: EndpointConnectOptions) => Promise<Socket>
  /**
   * Connects like `connect`, but for plain http requests. They go to an HTTP proxy of a session,
   * without a tunnel.
   */
  readonly connectHttp: (target: HostPort, options?: EndpointConnectOptions) => Promise<HttpRoute>
  /** Records why a connection to a target failed. */
  readonly noteFailure: (error: unknown, target: HostPort) => void
}

/** Options of `EndpointConnector.connect`. */
export interface EndpointConnectOptions extends ConnectOptions {
  /**
   * `Proxy-Authorization` header of the browser. It reaches the upstream proxy if the browser is
   * asked for credentials, and is ignored otherwise.
   */
  readonly authorization?: string | undefined
}
