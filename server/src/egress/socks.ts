import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { RequestForwarder } from './forward-request.ts'
import type { HostPort } from './host-port.ts'
import { joinTarget } from './join-target.ts'
import type { EndpointConnector } from './endpoint-connector.ts'
import { acceptSocks, refuseSocks, refuseSocksRequest } from './refusal.ts'

/** First byte of a SOCKS5 client. No HTTP request starts with it. */
export const socksVersion = 5

/**
 * Serves a SOCKS5 client whose first bytes are `start`. Chromium sends plain http over SOCKS,
 * because it changes the headers of requests to an HTTP proxy.
 */
export function serveSocks(connector: EndpointConnector, socket: Socket, start: Buffer): void {
  let bytes = start
  let hasGreeting = false
  const onEnd = (): void => void socket.destroy()
  socket.on('error', onEnd).once('end', onEnd)
  const read = (): void => {
    if (!hasGreeting) {
      const length = greetingLength(bytes)
      if (length === undefined) return
      bytes = bytes.subarray(length)
      hasGreeting = true
      socket.write(Buffer.from([socksVersion, noAuthentication]))
    }
    const request = parseRequest(bytes)
    if (request === undefined) return
    socket.off('data', add).off('end', onEnd).pause()
    if (request === 'invalid') return void socket.destroy()
    const { target, length } = request
    let isAccepted = false
    const accept = (): void => {
      if (!isAccepted) acceptSocks(socket)
      isAccepted = true
    }
    const join = (head: Buffer, onFail: (error: unknown) => void): void =>
      void joinTarget(connector, socket, {
        target,
        head,
        isClientFirst: true,
        onJoin: accept,
        // Chromium waits 30 s for the reply, but any time for the response to its request.
        onSlow: accept,
        onProxy: (route) => void new RequestForwarder(connector, socket, { target, route }).run(),
        onFail,
      })
    const onLateRequest = (head: Buffer): void => {
      isAccepted = true
      join(head, (error) => refuseSocksRequest(socket, error))
    }
    join(bytes.subarray(length), (error) => refuseSocks(socket, error, { isAccepted, onLateRequest }))
  }
  const add = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk])
    read()
  }
  socket.on('data', add).resume()
  read()
}

const noAuthentication = 0
const commandConnect = 1
const addressKinds = { ipv4: 1, name: 3, ipv6: 4 } as const

/** Length of the greeting: version, number of methods, methods. Undefined if it is incomplete. */
function greetingLength(bytes: Buffer): number | undefined {
  const length = 2 + (bytes[1] ?? Number.POSITIVE_INFINITY)
  return bytes.length < length ? undefined : length
}

/**
 * Parses version, command, zero, address type, address and port (RFC 1928, section 4). Undefined if
 * it is incomplete.
 */
function parseRequest(bytes: Buffer): { readonly target: HostPort; readonly length: number } | 'invalid' | undefined {
  const [version, command, , kind, nameLength] = bytes
  if (version === undefined || command === undefined || kind === undefined || nameLength === undefined) return undefined
  if (version !== socksVersion || command !== commandConnect) return 'invalid'
  const [start, size] =
    kind === addressKinds.name
      ? [5, nameLength]
      : kind === addressKinds.ipv4
        ? [4, 4]
        : kind === addressKinds.ipv6
          ? [4, 16]
          : [4, 0]
  if (size === 0) return 'invalid'
  const length = start + size + 2
  if (bytes.length < length) return undefined
  const address = bytes.subarray(start, start + size)
  const host = kind === addressKinds.name ? address.toString('latin1') : ipaddr.fromByteArray([...address]).toString()
  const port = bytes.readUInt16BE(start + size)
  return port === 0 ? 'invalid' : { target: { host, port }, length }
}
