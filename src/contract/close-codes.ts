import type { EndReason } from './browser.ts'

/** Reasons of the gateway to close a connection whose session may live on. */
type GatewayReason = 'closed' | 'lagging' | 'unresponsive' | 'not-resumable' | 'replaced'

/** Why the gateway closed a WebSocket of a CDP client: the reason text of the close frame. */
export type CloseReason = EndReason | GatewayReason

/** Codes of the close frames of CDP WebSockets, by their reason. */
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
  /**
   * The connection cannot be resumed: its time is over, it was closed, or the messages that the
   * client has missed are no longer kept.
   */
  'not-resumable': 4010,
  /** A client has opened another connection with the same resume key. */
  replaced: 4011,
} as const satisfies Record<CloseReason, number>
