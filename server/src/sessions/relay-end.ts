/**
 * Close frame for relayed connections when the relaying server shuts down. The session is on
 * another server. Code 1012 is "service restart".
 */
export const relayEnd = {
  code: 1012,
  reason: 'The server that relayed this connection is shutting down. The session is still alive: reconnect.',
} as const
