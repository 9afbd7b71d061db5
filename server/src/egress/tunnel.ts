import type { IncomingMessage } from 'node:http'
import type { HostPort } from './host-port.ts'
import { joinTarget } from './join-target.ts'
import type { EndpointConnector } from './endpoint-connector.ts'
import { refuseTunnel } from './refusal.ts'

/** Serves a CONNECT request. Chromium sends https and WebSockets this way. */
export function serveTunnel(
  connector: EndpointConnector,
  { url = '', headers, socket }: IncomingMessage,
  head: Buffer,
): void {
  socket.on('error', () => socket.destroy())
  const target = parseAuthority(url)
  if (target === undefined) {
    socket.end(badRequest, () => socket.destroy())
    return
  }
  void joinTarget(connector, socket, {
    target,
    authorization: headers['proxy-authorization'],
    head,
    // TLS and WebSockets begin with the client. Chromium fails a tunnel if data follows the response to
    // CONNECT at once.
    isClientFirst: true,
    onJoin: () => void socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    onFail: (error) => refuseTunnel(socket, error),
  })
}

/** Response to a malformed request. */
export const badRequest =
  'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nThis is an egress proxy: it accepts CONNECT and SOCKS5.\n'

/** Parses `host:port` or `[address]:port`. */
export function parseAuthority(authority: string): HostPort | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]\s]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(authority) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  return host === undefined || !(port >= 1 && port <= 65_535) ? undefined : { host, port }
}
