/**
 * Whether the client caused a WebSocket error: a message that is too long or malformed, or a lost
 * connection.
 */
export function isClientFault(error: unknown): boolean {
  const code = Error.isError(error) && 'code' in error ? String(error.code) : ''
  return code.startsWith('WS_ERR_') || code === 'ECONNRESET' || code === 'EPIPE'
}
