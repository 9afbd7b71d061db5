import type { Socket } from 'node:net'
import type { HostPort } from './host-port.ts'

/** Connects to targets on behalf of one proxy endpoint. */
export interface EndpointConnector {
  /**
   * Connects with the permissions of the endpoint's browser. Throws EGRESS_REFUSED, EGRESS_FAILED,
   * or the abort reason of a closed endpoint.
   */
  readonly connect: (target: HostPort, signal?: AbortSignal) => Promise<Socket>
  /** Records why a connection to a target failed. */
  readonly noteFailure: (error: unknown, target: HostPort) => void
}
