import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'

/** Returns the URL of the server as a client has addressed it, without trailing slash. */
export function originOf({ socket, headers }: IncomingMessage): string {
  return `${socket instanceof TLSSocket ? 'https' : 'http'}://${headers.host ?? 'localhost'}`
}
