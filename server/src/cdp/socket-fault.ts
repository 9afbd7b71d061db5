/** Whether an error of a WebSocket is its client's: a message that is too long or malformed, or a connection that broke. */
export function isClientFault(error: unknown): boolean {
  const code = Error.isError(error) && 'code' in error ? String(error.code) : ''
  return code.startsWith('WS_ERR_') || code === 'ECONNRESET' || code === 'EPIPE'
}
