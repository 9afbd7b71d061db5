import type { EndReason } from 'bowline/contract/browser'

/** WebSocket close codes of the gateway. The reason text beside them is the key. */
export const closeCodes = {
  /** The client asked for `Browser.close`. */
  closed: 1000,
  deleted: 4000,
  ttl: 4001,
  idle: 4002,
  crashed: 4003,
  drained: 4004,
  lost: 4005,
  /** The API key that created the session was revoked. */
  revoked: 4006,
  /** The client read too slowly for too long. */
  lagging: 4008,
  /** The client answered no ping. */
  unresponsive: 4009,
} as const satisfies Record<EndReason | 'closed' | 'lagging' | 'unresponsive', number>

/** Why the gateway closed a socket. */
export type CloseReason = keyof typeof closeCodes

/** Sent to clients whose session is on another server when the one that relays their socket shuts down ("service restart"). */
export const relayEnd = {
  code: 1012,
  reason: 'The server that relayed this connection is shutting down. The session is alive: connect again.',
} as const
