import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import proxyAddr from '@fastify/proxy-addr'

/** Settings of `ClientOrigin`. */
export interface ClientOriginSettings {
  /** URL under which all clients reach the server. Default: that of each request. */
  readonly publicUrl: string | undefined
  /**
   * IP addresses and CIDR ranges of reverse proxies, or `loopback`, `linklocal` and `uniquelocal`.
   * Their `X-Forwarded-For`, `-Proto` and `-Host` are believed.
   */
  readonly trustedProxies: readonly string[]
}

/** Finds out where requests come from, and under which URL they have addressed the server. */
export class ClientOrigin {
  readonly #publicUrl: string | undefined
  readonly #isTrusted: (address: string, distance: number) => boolean

  constructor({ publicUrl, trustedProxies }: ClientOriginSettings) {
    this.#publicUrl = publicUrl
    this.#isTrusted = proxyAddr.compile([...trustedProxies])
  }

  /** Returns the IP address of the client: behind trusted proxies, the one they have forwarded. */
  addressOf(request: IncomingMessage): string {
    return proxyAddr(request, this.#isTrusted)
  }

  /** Returns the URL of the server, without trailing slash. */
  baseUrlOf({ socket, headers }: IncomingMessage): string {
    if (this.#publicUrl !== undefined) return this.#publicUrl
    const forwarded = this.#isTrusted(socket.remoteAddress ?? '', 0) ? headers : {}
    const isEncrypted = lastOf(forwarded, 'x-forwarded-proto') === 'https' || socket instanceof TLSSocket
    const host = lastOf(forwarded, 'x-forwarded-host') ?? headers.host ?? 'localhost'
    return `${isEncrypted ? 'https' : 'http'}://${host}`
  }
}

/** The entry of the nearest proxy: earlier ones may come from the client. */
function lastOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return [headers[name] ?? []].flat().join().split(',').at(-1)?.trim() || undefined
}
