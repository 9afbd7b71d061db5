import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { addressHeader, requestIdHeader } from '../cluster/peer-requests.ts'
import type { ClientOrigin } from './client-origin.ts'
import { isRelayedTo } from './session-node.ts'

/** Where a request comes from, for logs. */
export interface RequestOrigin {
  /** IP address of the client, also behind trusted proxies and another server of the cluster. */
  readonly address: string | undefined
  /** Id that the response and all log lines of the request carry. */
  readonly requestId: string | undefined
}

/**
 * Determines the id of a request and the address of its client, and stores both in its headers, so
 * that they reach the server to which the request may be relayed. Returns the id: that of the
 * client if it has a usable form.
 */
export function identify(
  request: IncomingMessage,
  { origin, nodeId }: { readonly origin: ClientOrigin; readonly nodeId: string },
): string {
  const { headers } = request
  const given = headers[requestIdHeader]
  const id = typeof given === 'string' && /^[\w.-]{1,100}$/.test(given) ? given : randomUUID()
  headers[requestIdHeader] = id
  // Only servers know each other's ids, so that of a client cannot pass as relayed.
  if (!isRelayedTo(request, nodeId)) headers[addressHeader] = origin.addressOf(request)
  return id
}

/** Returns what `identify` has found. */
export function originOf({ headers }: IncomingMessage): RequestOrigin {
  const [address, requestId] = [headers[addressHeader], headers[requestIdHeader]].map((value) => value?.toString())
  return { address, requestId }
}
