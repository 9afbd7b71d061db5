import type { Socket } from 'node:net'
import type { Target } from './allow-list.ts'

/** What the proxy needs to know of the lane a request came in by. */
export interface ProxyEndpointContext {
  /** Connects as the lane's browser may. Throws EGRESS_REFUSED, EGRESS_FAILED, or the reason of the lane's end. */
  readonly connect: (target: Target, signal?: AbortSignal) => Promise<Socket>
  /** Notes why a target was not connected to. */
  readonly note: (error: unknown, target: Target | undefined) => void
}
