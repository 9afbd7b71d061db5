import type { Socket } from 'node:net'
import type { HostPort } from './host-port.ts'
import { joinTarget } from './join-target.ts'
import type { EndpointConnector } from './endpoint-connector.ts'
import { refuseMalformed, refuseTunnel } from './refusal.ts'

/** A CONNECT request. */
export interface TunnelRequest {
  readonly authority: string
  /** `Proxy-Authorization` header. */
  readonly authorization: string | undefined
  /** Bytes that followed the request. */
  readonly head: Buffer
}

/** Serves a CONNECT request. Chromium sends https and WebSockets this way. */
export function serveTunnel(
  connector: EndpointConnector,
  socket: Socket,
  { authority, authorization, head }: TunnelRequest,
): void {
  socket.on('error', () => socket.destroy())
  const target = parseAuthority(authority)
  if (target === undefined) return refuseMalformed(socket)
  void joinTarget(connector, socket, {
    target,
    authorization,
    head,
    // TLS and WebSockets begin with the client. Chromium fails a tunnel if data follows the response to
    // CONNECT at once.
    isClientFirst: true,
    onJoin: () => void socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    onFail: (error) => refuseTunnel(socket, error),
  })
}

/** Parses `host:port` or `[address]:port`. */
export function parseAuthority(authority: string): HostPort | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]\s]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(authority) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  return host === undefined || !(port >= 1 && port <= 65_535) ? undefined : { host, port }
}
