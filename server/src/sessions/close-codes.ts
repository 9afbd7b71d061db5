import type { EndReason } from 'bowline/contract/browser'

/** WebSocket close codes of the gateway. Each close frame has the key as its reason text. */
export const closeCodes = {
  /** The client sent `Browser.close`. */
  closed: 1000,
  deleted: 4000,
  ttl: 4001,
  idle: 4002,
  crashed: 4003,
  drained: 4004,
  lost: 4005,
  /** The API key that created the session was revoked. */
  revoked: 4006,
  /** The client did not read for too long. */
  lagging: 4008,
  /** The client did not respond to pings. */
  unresponsive: 4009,
} as const satisfies Record<EndReason | 'closed' | 'lagging' | 'unresponsive', number>

/** Reason why the gateway closed a socket. */
export type CloseReason = keyof typeof closeCodes

/**
 * Close frame for relayed connections when the relaying server shuts down. The session is on
 * another server. Code 1012 is "service restart".
 */
export const relayEnd = {
  code: 1012,
  reason: 'The server that relayed this connection is shutting down. The session is still alive: reconnect.',
} as const
