import type { Target } from './allow-list.ts'
import { rejectedHeads, type NetError } from './net-errors.ts'

/** How long after a failure its messages may still come: a client that reads slowly holds the browser up. */
const failureMs = 300_000

/** Hosts whose addresses are kept. */
const maxHosts = 2000

/** How much of an answer is looked at for an error. */
const answerStartBytes = 256

const events = {
  failed: Buffer.from('{"method":"Network.loadingFailed"'),
  log: Buffer.from('{"method":"Log.entryAdded"'),
  request: Buffer.from('{"method":"Network.requestWillBeSent"'),
  response: Buffer.from('{"method":"Network.responseReceived"'),
  socket: Buffer.from('{"method":"Network.webSocketFrameError"'),
}
const answer = Buffer.from('{"id":')
/** The answer to `Page.navigate`. What a script returned stands behind another key. */
const failedNavigation = /^\{"id":\d+,"result":\{"frameId":"[^"]*",(?:"loaderId":"[^"]*",)?"errorText":"net::/
const responseKeys = {
  response: Buffer.from('"response":{"url":"'),
  request: Buffer.from('"redirectResponse":{"url":"'),
}
const quote = 0x22

/** The net error of a rejected head, by what Chromium reports instead. */
const realErrors: ReadonlyMap<string, NetError> = new Map([
  ...[...rejectedHeads].flatMap(([netError, { reportedAs }]) => reportedAs.map((each) => [each, netError] as const)),
  ['ERR_SOCKS_CONNECTION_FAILED', 'ERR_TUNNEL_CONNECTION_FAILED'] as const,
])

/** Behind the error of a command, which people read. */
const explanations: ReadonlyMap<NetError, string> = new Map([
  [
    'ERR_BLOCKED_BY_ADMINISTRATOR',
    ' (refused by the egress policy of the Bowline server, whose operator can open the address with --allow)',
  ],
])

/**
 * Removes the egress proxy from the CDP messages of one browser: failures have the error codes, and responses the address,
 * that they would have on a direct connection. Chromium writes keys in a fixed order and escapes quotes in values, so a
 * message is searched, not parsed, and most are decided by their first bytes.
 */
export class BrowserMessages {
  /** The port at which the browser finds the proxy. */
  proxyPort = 0
  readonly #failures = new Map<NetError, number>()
  #lastFailureMs = Number.NEGATIVE_INFINITY
  /** By host and port; undefined behind an upstream proxy. */
  readonly #addresses = new Map<string, string | undefined>()

  /** Notes that the proxy made the browser see a failure. */
  noteFailure(netError: NetError): void {
    this.#lastFailureMs = performance.now()
    this.#failures.set(netError, this.#lastFailureMs)
  }

  /** Notes what a host was found at. */
  noteConnection({ host, port }: Target, address: string | undefined): void {
    const key = keyOf(host, port)
    this.#addresses.delete(key)
    this.#addresses.set(key, address)
    const oldest = this.#addresses.size > maxHosts ? this.#addresses.keys().next().value : undefined
    if (oldest !== undefined) this.#addresses.delete(oldest)
  }

  /** Returns the message as a browser without a proxy would send it. */
  readonly correct = (message: Buffer): Buffer => {
    if (startsWith(message, events.response)) return this.#correctAddress(message, responseKeys.response)
    if (startsWith(message, events.request)) return this.#correctAddress(message, responseKeys.request)
    if (performance.now() - this.#lastFailureMs > failureMs) return message
    if (startsWith(message, answer)) {
      return failedNavigation.test(message.toString('latin1', 0, answerStartBytes))
        ? this.#correctError(message, true)
        : message
    }
    const isMisreported =
      startsWith(message, events.failed) || startsWith(message, events.log) || startsWith(message, events.socket)
    return isMisreported ? this.#correctError(message, false) : message
  }

  #correctError(message: Buffer, isExplained: boolean): Buffer {
    const text = message.toString('latin1')
    const corrected = text.replace(/net::(ERR_[A-Z_]+)/, (whole, reported: string) => {
      const real = realErrors.get(reported)
      const atMs = real === undefined ? undefined : this.#failures.get(real)
      if (real === undefined || atMs === undefined || performance.now() - atMs > failureMs) return whole
      return `net::${real}${isExplained ? (explanations.get(real) ?? '') : ''}`
    })
    return corrected === text ? message : Buffer.from(corrected, 'latin1')
  }

  #correctAddress(message: Buffer, responseKey: Buffer): Buffer {
    const proxy = `"remoteIPAddress":"127.0.0.1","remotePort":${this.proxyPort},`
    const at = message.indexOf(proxy)
    const urlStart = at === -1 ? -1 : message.indexOf(responseKey)
    if (urlStart === -1) return message
    const start = urlStart + responseKey.length
    const url = URL.parse(message.toString('latin1', start, message.indexOf(quote, start)))
    if (url === null) return message
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const address = this.#addresses.get(keyOf(url.hostname, port))
    const own = address === undefined ? '' : `"remoteIPAddress":"${inBrackets(address)}","remotePort":${port},`
    return Buffer.concat([message.subarray(0, at), Buffer.from(own), message.subarray(at + proxy.length)])
  }
}

/** Chromium writes IPv6 addresses in brackets, in URLs and elsewhere. */
function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

function keyOf(host: string, port: number): string {
  return `${host.startsWith('[') ? host : inBrackets(host)}:${port}`
}

function startsWith(message: Buffer, start: Buffer): boolean {
  return message.length > start.length && message.compare(start, 0, start.length, 0, start.length) === 0
}
