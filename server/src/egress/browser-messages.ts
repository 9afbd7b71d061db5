import type { HostPort } from './host-port.ts'
import { rejectedHeads, type NetError } from './net-errors.ts'

/**
 * Time after a failure in which its CDP messages may still arrive, in milliseconds. A client that
 * reads slowly delays them.
 */
const failureMs = 300_000

/** Maximum number of hosts whose addresses are remembered. */
const maxHosts = 2000

/** Number of bytes of a response that are searched for an error. */
const responseStartBytes = 256

const events = {
  failed: Buffer.from('{"method":"Network.loadingFailed"'),
  log: Buffer.from('{"method":"Log.entryAdded"'),
  request: Buffer.from('{"method":"Network.requestWillBeSent"'),
  response: Buffer.from('{"method":"Network.responseReceived"'),
  socket: Buffer.from('{"method":"Network.webSocketFrameError"'),
}
const commandResponse = Buffer.from('{"id":')
/** The response to a failed `Page.navigate`. Results of scripts have another key first. */
const failedNavigation = /^\{"id":\d+,"result":\{"frameId":"[^"]*",(?:"loaderId":"[^"]*",)?"errorText":"net::/
const responseKeys = {
  response: Buffer.from('"response":{"url":"'),
  request: Buffer.from('"redirectResponse":{"url":"'),
}
const doubleQuote = 0x22

/** Maps the error Chromium reports for a rejected response head to the actual net error. */
const actualErrors: ReadonlyMap<string, NetError> = new Map([
  ...[...rejectedHeads].flatMap(([netError, { reportedAs }]) => reportedAs.map((each) => [each, netError] as const)),
  ['ERR_SOCKS_CONNECTION_FAILED', 'ERR_TUNNEL_CONNECTION_FAILED'] as const,
])

/** Texts appended to the error of a command, for people. */
const explanations: ReadonlyMap<NetError, string> = new Map([
  [
    'ERR_BLOCKED_BY_ADMINISTRATOR',
    ' (blocked by the egress policy of the Bowline server; its operator can allow the address with --allow)',
  ],
])

/**
 * Removes traces of the egress proxy from the CDP messages of one browser: failures get the error
 * codes, and responses the addresses, of a direct connection. Chromium writes keys in a fixed order
 * and escapes quotes in values, so messages are searched instead of parsed. Most are decided by
 * their first bytes.
 */
export class BrowserMessages {
  /** Port on which the browser connects to the proxy. */
  proxyPort = 0
  readonly #failures = new Map<NetError, number>()
  #lastFailureMs = Number.NEGATIVE_INFINITY
  /** Addresses by host and port. Undefined behind an upstream proxy. */
  readonly #addresses = new Map<string, string | undefined>()

  /** Records that the proxy reported a failure to the browser. */
  noteFailure(netError: NetError): void {
    this.#lastFailureMs = performance.now()
    this.#failures.set(netError, this.#lastFailureMs)
  }

  /** Records the address a host was connected at. */
  noteConnection({ host, port }: HostPort, address: string | undefined): void {
    const key = keyOf(host, port)
    this.#addresses.delete(key)
    this.#addresses.set(key, address)
    const oldest = this.#addresses.size > maxHosts ? this.#addresses.keys().next().value : undefined
    if (oldest !== undefined) this.#addresses.delete(oldest)
  }

  /** Returns the message as a browser without a proxy would send it. */
  readonly rewrite = (message: Buffer): Buffer => {
    if (startsWith(message, events.response)) return this.#rewriteAddress(message, responseKeys.response)
    if (startsWith(message, events.request)) return this.#rewriteAddress(message, responseKeys.request)
    if (performance.now() - this.#lastFailureMs > failureMs) return message
    if (startsWith(message, commandResponse)) {
      return failedNavigation.test(message.toString('latin1', 0, responseStartBytes))
        ? this.#rewriteError(message, true)
        : message
    }
    const isMisreported =
      startsWith(message, events.failed) || startsWith(message, events.log) || startsWith(message, events.socket)
    return isMisreported ? this.#rewriteError(message, false) : message
  }

  #rewriteError(message: Buffer, isExplained: boolean): Buffer {
    const text = message.toString('latin1')
    const rewritten = text.replace(/net::(ERR_[A-Z_]+)/, (match, reported: string) => {
      const real = actualErrors.get(reported)
      const atMs = real === undefined ? undefined : this.#failures.get(real)
      if (real === undefined || atMs === undefined || performance.now() - atMs > failureMs) return match
      return `net::${real}${isExplained ? (explanations.get(real) ?? '') : ''}`
    })
    return rewritten === text ? message : Buffer.from(rewritten, 'latin1')
  }

  #rewriteAddress(message: Buffer, responseKey: Buffer): Buffer {
    const proxy = `"remoteIPAddress":"127.0.0.1","remotePort":${this.proxyPort},`
    const at = message.indexOf(proxy)
    const urlStart = at === -1 ? -1 : message.indexOf(responseKey)
    if (urlStart === -1) return message
    const start = urlStart + responseKey.length
    const url = URL.parse(message.toString('latin1', start, message.indexOf(doubleQuote, start)))
    if (url === null) return message
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const address = this.#addresses.get(keyOf(url.hostname, port))
    const remote = address === undefined ? '' : `"remoteIPAddress":"${inBrackets(address)}","remotePort":${port},`
    return Buffer.concat([message.subarray(0, at), Buffer.from(remote), message.subarray(at + proxy.length)])
  }
}

/** Puts an IPv6 address in brackets, as Chromium writes it. */
function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

function keyOf(host: string, port: number): string {
  return `${host.startsWith('[') ? host : inBrackets(host)}:${port}`
}

function startsWith(message: Buffer, start: Buffer): boolean {
  return message.length > start.length && message.compare(start, 0, start.length, 0, start.length) === 0
}
